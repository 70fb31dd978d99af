// SPDX-License-Identifier: Apache-2.0

/// The subject of a receipt, an audit entry or a ledger entry, for holders of the key: 64 hexadecimal digits.
///
/// HMAC-SHA-256 under the installation's pepper over the subject's table and key. Without the pepper it reveals
/// nothing, and identifiers cannot be tried against it.
package struct SubjectHash: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
    package let rawValue: String
    /// Accepts any text: an invalid one matches no subject.
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }
}
