// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell

/// Authentication codes for one purpose and no other: HMAC with SHA-256 (RFC 2104) under a key that is derived for this
/// purpose alone, over the purpose and a list of fields, each preceded by its length.
///
/// A code for one purpose is not a code for another, because the keys differ. Two different lists of fields never give
/// the same bytes, whatever a caller puts into a field.
package struct PurposeKey: Sendable {
    private let purpose: String
    private let key: KeyedHash.Key

    /// - Parameters:
    ///   - purpose: The label of the key derivation, e.g. `farewell/console-form/v1`.
    ///   - secret: The key that was derived for this purpose.
    package init(_ purpose: String, _ secret: Secret) {
        self.purpose = purpose
        key = KeyedHash.Key(key: secret.key)
    }

    /// The code of these fields: 32 bytes.
    package func code(_ fields: [String]) -> [UInt8] {
        var hash = KeyedHash(key, purpose: purpose)
        for field in fields { hash.add(field) }
        return hash.code().withUnsafeBytes { Array($0) }
    }

    /// The same in base64url without padding: 43 characters.
    package func text(_ fields: [String]) -> String { Base64URL.text(code(fields)) }

    /// Whether `text` is the code of these fields. Takes the same time wherever the two differ.
    package func accepts(_ text: String, _ fields: [String]) -> Bool {
        ConstantTime.isEqual(text.utf8, self.text(fields).utf8)
    }

    /// Fields as bytes, each preceded by its length.
    package static func joined(_ fields: [String]) -> [UInt8] {
        fields.reduce(into: []) { bytes, field in
            withUnsafeBytes(of: UInt64(field.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: field.utf8)
        }
    }
}

extension KeyStore {
    /// Codes for one purpose of the whole installation.
    package func purposeKey(_ purpose: some KeyPurpose) -> PurposeKey {
        PurposeKey(purpose.label, derivedKey(for: purpose))
    }
}
