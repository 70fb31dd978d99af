// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Signs receipts: compact JWS (RFC 7515) with Ed25519 (RFC 8037) over the receipt's canonical JSON.
package struct ReceiptSigner: Sendable {
    private let key: SigningKey

    package init(key: SigningKey) { self.key = key }

    package func sign(_ receipt: Receipt) throws -> String {
        try CompactJWS.signed(try receipt.canonicalJSON(), type: ReceiptVerifier.type, by: key)
    }
}
