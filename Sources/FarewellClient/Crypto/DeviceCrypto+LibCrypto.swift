// SPDX-License-Identifier: Apache-2.0
#if !canImport(CryptoKit)
import CLibCrypto
import Farewell
import Foundation

extension DeviceCrypto {
    private static let nonceLength = 12
    private static let tagLength = 16

    /// Begins to use libcrypto, without its clean-up at the end of the process: tasks and the system's networking may
    /// still use it then, and would crash. Only the first call of a process decides that, so it comes before any other
    /// use, such as libcurl's.
    static func prepare() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    static func makeSecret(count: Int) throws -> Secret {
        prepare()
        return try Secret(count: count) { place in
            guard RAND_bytes(place.bytes, Int32(count)) == 1 else { throw failed }
        }
    }

    static func hash(_ data: Data) -> Data {
        prepare()
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        data.withUnsafeBytes { _ = SHA256($0.bytes, $0.count, &digest) }
        return Data(digest)
    }

    static func derive(from root: Secret, info: Data, count: Int) throws -> Secret {
        prepare()
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { throw failed }
        defer { EVP_PKEY_CTX_free(context) }
        try root.withUnsafeBytes { root in
            try require(EVP_PKEY_derive_init(context))
            try require(EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()))
            try require(EVP_PKEY_CTX_set1_hkdf_key(context, root.bytes, Int32(root.count)))
        }
        try info.withUnsafeBytes { try require(EVP_PKEY_CTX_add1_hkdf_info(context, $0.bytes, Int32($0.count))) }
        return try Secret(count: count) { place in
            var length = count
            try require(EVP_PKEY_derive(context, place.bytes, &length))
        }
    }

    static func seal(_ data: Data, under key: Secret, bound: Data) throws -> Data {
        let nonce = try makeSecret(count: nonceLength).withUnsafeBytes { Array($0) }
        let context = try Cipher(.sealing, key, nonce, bound)
        let sealed = try context.update(data)
        var tag = [UInt8](repeating: 0, count: tagLength)
        guard context.finish() else { throw failed }
        try require(context.tag(EVP_CTRL_AEAD_GET_TAG, &tag))
        return Data(nonce + sealed + tag)
    }

    /// - Returns: `nil` if the bytes were changed, or sealed under another key or bound to another purpose.
    static func open(_ sealed: Data, under key: Secret, bound: Data) throws -> Data? {
        guard sealed.count >= nonceLength + tagLength else { return nil }
        let context = try Cipher(.opening, key, Array(sealed.prefix(nonceLength)), bound)
        let opened = try context.update(sealed.dropFirst(nonceLength).dropLast(tagLength))
        var tag = Array(sealed.suffix(tagLength))
        try require(context.tag(EVP_CTRL_AEAD_SET_TAG, &tag))
        return context.finish() ? Data(opened) : nil
    }

    /// One pass of AES-256-GCM.
    private final class Cipher {
        enum Direction: Int32 { case opening, sealing }
        private let context: OpaquePointer

        init(_ direction: Direction, _ key: Secret, _ nonce: [UInt8], _ bound: Data) throws {
            prepare()
            guard key.bitCount == 256, let context = EVP_CIPHER_CTX_new() else { throw failed }
            self.context = context
            try key.withUnsafeBytes {
                try require(EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, $0.bytes, nonce, direction.rawValue))
            }
            var length: Int32 = 0
            try bound.withUnsafeBytes {
                try require(EVP_CipherUpdate(context, nil, &length, $0.bytes, Int32($0.count)))
            }
        }

        func update(_ data: Data) throws -> [UInt8] {
            guard let count = Int32(exactly: data.count) else { throw failed }
            var output = [UInt8](repeating: 0, count: data.count)
            var length: Int32 = 0
            try data.withUnsafeBytes { try require(EVP_CipherUpdate(context, &output, &length, $0.bytes, count)) }
            return output
        }

        func tag(_ what: Int32, _ tag: inout [UInt8]) -> Int32 {
            EVP_CIPHER_CTX_ctrl(context, what, Int32(tag.count), &tag)
        }

        /// Whether all is well; when opening, whether the tag is right.
        func finish() -> Bool {
            var length: Int32 = 0
            var nothing = [UInt8](repeating: 0, count: 16)
            return EVP_CipherFinal_ex(context, &nothing, &length) == 1
        }

        deinit { EVP_CIPHER_CTX_free(context) }
    }

    private static func require(_ status: Int32) throws {
        guard status == 1 else { throw failed }
    }

    private static var failed: FarewellError {
        FarewellError("device.crypto-failed", .ours, "The system's cryptography library, libcrypto, refused a call.")
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var bytes: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
#endif
