// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Signs the manifests of exports: compact JWS (RFC 7515) with Ed25519 (RFC 8037), by a key for this purpose alone.
package struct ExportSigner: Sendable {
    /// The `typ` of a signed manifest (RFC 7515, 4.1.9).
    package static let type = "farewell-export+jws"

    private let key: SigningKey

    package init(_ keys: KeyStore) { key = keys.exportKey }

    package func sign(_ manifest: ExportManifest) throws -> String {
        try CompactJWS.signed(try CanonicalJSON.data(manifest), type: Self.type, by: key)
    }

    /// The manifest, once its signature is found good.
    ///
    /// - Throws: `signature.malformed`, `signature.unknown-key`, `signature.wrong`, or `export.malformed`.
    package static func verified(_ text: String, by keys: PublicKeyList) throws -> (ExportManifest, payload: Data) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let (payload, _) = try CompactJWS.opened(text, type: type, by: keys)
        guard let manifest = try? CanonicalJSON.value(ExportManifest.self, from: payload), manifest.version == 1 else {
            throw FarewellError(
                "export.malformed", .yoursToFix, "The signed text is not a manifest that this version reads.",
                remedy: "Use the version of Farewell that wrote the export, or a newer one.")
        }
        return (manifest, payload)
    }
}

extension KeyStore {
    /// Signs exports, and nothing else.
    var exportKey: SigningKey { SigningKey(seed: derivedKey(for: InstallationKey.exportManifest).bytes) }

    /// The public half of the key that signs exports: to be published. Rotating the key of receipts does not change it.
    package var exportKeys: PublicKeyList { PublicKeyList([exportKey.publicKey]) }
}
