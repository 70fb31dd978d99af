// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The newest entry of the audit log by number and hash. Signed and kept elsewhere, it shows later whether the
/// end of the log was cut off or its history rewritten.
package struct AuditHead: Sendable, Hashable, Codable {
    package let sequence: Int
    package let hash: String

    package init(sequence: Int, hash: String) {
        self.sequence = sequence
        self.hash = hash
    }

    package init(of entry: AuditEntry) { self.init(sequence: entry.sequence, hash: entry.hash) }

    static let type = "farewell-audit-head+jws"

    /// The head as signed text (compact JWS, Ed25519), by the key that signs receipts.
    package func signed(by key: SigningKey) throws -> String {
        try CompactJWS.signed(try CanonicalJSON.data(self), type: Self.type, by: key)
    }

    /// Reads a signed head. Throws `signature.…`, or `audit.malformed`.
    package init(signed text: String, keys: PublicKeyList) throws {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let payload = try CompactJWS.opened(text, type: Self.type, by: keys).payload
        guard let head = try? CanonicalJSON.value(AuditHead.self, from: payload) else {
            throw FarewellError("audit.malformed", .yoursToFix, "This is not a signed head of an audit log.")
        }
        self = head
    }
}
