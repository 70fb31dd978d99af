// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What an operator's browser keeps instead of the operators' token: good for an hour, and for the console alone.
struct ConsoleSeal: Sendable {
    let guarding: PageGuard
    let now: Date

    static let life = 3_600.0

    func fresh(_ nonce: String) -> String {
        let words = "\(Int64(now.timeIntervalSince1970 + Self.life)).\(nonce)"
        return "\(words).\(guarding.token(visit: "console", session: words))"
    }

    func isGood(_ text: String?) -> Bool {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let end = Int64(parts[0]),
            guarding.isOurs(parts[2], visit: "console", session: "\(parts[0]).\(parts[1])")
        else { return false }
        return Double(end) > now.timeIntervalSince1970
    }
}
