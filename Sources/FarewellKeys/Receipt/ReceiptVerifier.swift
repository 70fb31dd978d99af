// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Verifies signed receipts against a list of public keys; needs no other part of Farewell.
public struct ReceiptVerifier: Sendable {
    /// The `typ` of a signed receipt (RFC 7515, 4.1.9).
    public static let type = "farewell-receipt+jws"

    private let keys: PublicKeyList

    public init(keys: PublicKeyList) { self.keys = keys }

    /// The receipt, once its signature is found good. White space round the text is allowed, inside it is not.
    ///
    /// Throws `signature.malformed`, `signature.unknown-key`, `signature.wrong`, `receipt.malformed` or
    /// `receipt.version`.
    public func verify(_ jws: String) throws -> VerifiedReceipt {
        // A file ends in a newline; anything inside the text is refused further down.
        let text = jws.trimmingCharacters(in: .whitespacesAndNewlines)
        let (payload, key) = try CompactJWS.opened(text, type: Self.type, by: keys)
        return VerifiedReceipt(receipt: try Receipt(json: payload), key: key.id)
    }
}
