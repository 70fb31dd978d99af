// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The kept objects of a subject, with reasons, over all pages.
struct S3Kept: Sendable, Hashable, Codable {
    /// Locked by a retention period.
    var locked = 0
    /// The last day of the longest of them, `2099-12-31`.
    var lockedUntil: String?
    /// Under a legal hold, which has no end date.
    var held = 0
    /// Refused for themselves, by the code of S3.
    var refused: [String: Int] = [:]

    var isEmpty: Bool { locked == 0 && held == 0 && refused.isEmpty }

    /// Nothing holds what stayed: the key may not delete it.
    var isAllDenied: Bool {
        locked == 0 && held == 0 && !refused.isEmpty
            && refused.keys.allSatisfy { ResponseTable.s3.line(403, code: $0).outcome == .credentials }
    }

    var isPlausible: Bool { ([locked, held] + refused.values).allSatisfy { (0...Int(Int32.max)).contains($0) } }

    mutating func add(_ other: S3Kept) {
        locked += other.locked
        held += other.held
        lockedUntil = [lockedUntil, other.lockedUntil].compactMap(\.self).max()
        refused.merge(other.refused) { $0 + $1 }
    }

    /// Why, and what to do about it.
    var words: (why: String, remedy: String) {
        var reasons: [String] = []
        if held > 0 { reasons.append("a legal hold keeps \(held) of its objects") }
        if locked > 0 { reasons.append("objects are locked until \(lockedUntil ?? "an unknown day")") }
        for (code, count) in refused.sorted(by: { $0.key < $1.key }) {
            reasons.append("\(count.counted("object")): \(code)")
        }
        var remedies: [String] = []
        if held > 0 { remedies.append("release the legal hold") }
        if locked > 0 { remedies.append("release the erasure after that day, or lift the lock") }
        if !refused.isEmpty { remedies.append("check those objects in the bucket") }
        let text = remedies.joined(separator: "; ")
        return (
            reasons.joined(separator: "; "),
            text.prefix(1).uppercased() + text.dropFirst()
                + ". The person's other objects in the bucket are deleted."
        )
    }
}
