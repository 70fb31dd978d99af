// SPDX-License-Identifier: Apache-2.0

/// The requirements for a new password.
public struct PasswordRule: Sendable, Hashable {
    /// In characters; 8 by default (NIST SP 800-63B).
    public var minimumLength: Int
    /// In bytes of UTF-8, so that no caller makes the server hash a book.
    public var maximumBytes: Int
    /// Groups of characters; a password needs one of each.
    public var groups: [String]

    public init(minimumLength: Int = 8, maximumBytes: Int = 512, groups: [String] = []) {
        self.minimumLength = minimumLength
        self.maximumBytes = maximumBytes
        self.groups = groups
    }

    /// The weaknesses of a password; empty if there are none.
    public func weaknesses(of password: String) -> [PasswordWeakness] {
        var found: [PasswordWeakness] = []
        if password.count < minimumLength || password.isEmpty { found.append(.length) }
        if groups.contains(where: { group in !password.contains(where: group.contains) }) { found.append(.characters) }
        return found
    }
}
