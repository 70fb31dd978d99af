// SPDX-License-Identifier: Apache-2.0

/// Who a receipt, an audit entry or a ledger entry is about, for those who hold the key: 64 hexadecimal digits.
///
/// HMAC-SHA-256 under the installation's pepper over the subject's table and key. Without the pepper it says
/// nothing, and nobody can try identifiers against it.
package struct SubjectHash: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
    package let rawValue: String
    /// Any text: one read from outside simply matches nobody.
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }
}
