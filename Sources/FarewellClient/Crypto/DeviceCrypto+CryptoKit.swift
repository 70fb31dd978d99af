// SPDX-License-Identifier: Apache-2.0
#if canImport(CryptoKit)
import CryptoKit
import Foundation

/// Bytes that open something: wiped from memory when nobody holds them any more, compared in constant time.
typealias Secret = SymmetricKey

extension DeviceCrypto {
    static func makeSecret(count: Int) throws -> Secret { Secret(size: SymmetricKeySize(bitCount: count * 8)) }

    static func hash(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }

    static func derive(from root: Secret, info: Data, count: Int) throws -> Secret {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: root, info: info, outputByteCount: count)
    }

    static func seal(_ data: Data, under key: Secret, bound: Data) throws -> Data {
        let box = try AES.GCM.seal(data, using: key, authenticating: bound)
        return Data(box.nonce) + box.ciphertext + box.tag
    }

    /// - Returns: `nil` when the bytes were changed, or sealed under another key or bound to something else.
    static func open(_ sealed: Data, under key: Secret, bound: Data) throws -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: bound)
    }
}
#endif
