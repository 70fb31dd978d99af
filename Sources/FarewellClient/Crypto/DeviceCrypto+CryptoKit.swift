// SPDX-License-Identifier: Apache-2.0
#if canImport(CryptoKit)
import CryptoKit
import Farewell
import Foundation

extension DeviceCrypto {
    /// CryptoKit needs no preparation.
    static func prepare() {}

    static func makeSecret(count: Int) throws -> Secret {
        Secret(data: SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)))
    }

    static func hash(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }

    static func derive(from root: Secret, info: Data, count: Int) throws -> Secret {
        Secret(data: HKDF<SHA256>.deriveKey(inputKeyMaterial: root.key, info: info, outputByteCount: count))
    }

    static func seal(_ data: Data, under key: Secret, bound: Data) throws -> Data {
        guard key.bitCount == 256 else {
            throw FarewellError("device.crypto-failed", .ours, "The key does not have 256 bits.")
        }
        let box = try AES.GCM.seal(data, using: key.key, authenticating: bound)
        return Data(box.nonce) + box.ciphertext + box.tag
    }

    /// - Returns: `nil` if the bytes were changed, or sealed under another key or bound to another purpose.
    static func open(_ sealed: Data, under key: Secret, bound: Data) throws -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: key.key, authenticating: bound)
    }
}

extension Secret {
    /// The secret as CryptoKit requires it, which wipes its copy as well.
    fileprivate var key: SymmetricKey { withUnsafeBytes { SymmetricKey(data: $0) } }
}
#endif
