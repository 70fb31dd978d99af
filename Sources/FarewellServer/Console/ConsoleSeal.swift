// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What an operator's browser keeps instead of a token: who they are and what they may do, good for an hour, and for
/// the console alone.
struct ConsoleSeal: Sendable {
    let guarding: PageGuard
    let now: Date

    static let life = 3_600.0

    func fresh(_ who: Operator, _ nonce: String) -> String {
        let words = "\(Int64(now.timeIntervalSince1970 + Self.life)).\(who.role.rawValue).\(who.name).\(nonce)"
        return "\(words).\(guarding.token(visit: "console", session: words))"
    }

    /// Nil for what was not made here, and for what is over.
    func who(_ text: String?) -> Operator? {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let end = Int64(parts[0]), let role = Operator.Role(rawValue: parts[1]),
            guarding.isOurs(parts[4], visit: "console", session: parts[..<4].joined(separator: ".")),
            Double(end) > now.timeIntervalSince1970
        else { return nil }
        return Operator(role: role, name: parts[2])
    }
}
