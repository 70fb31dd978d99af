// SPDX-License-Identifier: Apache-2.0
import Crypto

/// Authentication codes (HMAC with SHA-256, RFC 2104) under one key, which is taken in once for all of them.
struct KeyedCode: Sendable {
    private let begun: HMAC<SHA256>

    init(_ key: SymmetricKey) { begun = HMAC(key: key) }

    func bytes(for text: [UInt8]) -> [UInt8] {
        var code = begun
        text.withUnsafeBytes { code.update(data: $0) }
        return code.finalize().withUnsafeBytes { Array($0) }
    }
}
