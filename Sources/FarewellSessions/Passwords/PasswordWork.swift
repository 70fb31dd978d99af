// SPDX-License-Identifier: Apache-2.0
import CCrypt
import Crypto
import CryptoExtras
import Farewell
import Foundation

/// The two functions that make checking a password dear. Handed in, so that tests can count how often they run.
package struct PasswordWork: Sendable {
    /// scrypt (RFC 7914) with 32 bytes of output.
    package var scrypt: @Sendable (_ password: [UInt8], _ salt: [UInt8], _ cost: ScryptCost) throws -> [UInt8]
    /// The bcrypt hash of a password under the setting of another; throws where the system knows no bcrypt.
    package var bcrypt: @Sendable (_ password: String, _ setting: String) throws -> String

    package init(
        scrypt: @escaping @Sendable (_ password: [UInt8], _ salt: [UInt8], _ cost: ScryptCost) throws -> [UInt8],
        bcrypt: @escaping @Sendable (_ password: String, _ setting: String) throws -> String
    ) {
        self.scrypt = scrypt
        self.bcrypt = bcrypt
    }

    /// By swift-crypto and by the system's `crypt_r`.
    package static let live = PasswordWork(
        scrypt: { password, salt, cost in
            try KDF.Scrypt.deriveKey(
                from: password, salt: salt, outputByteCount: 32, rounds: 1 << cost.logN, blockSize: cost.blockSize,
                parallelism: cost.parallelism
            ).withUnsafeBytes { Array($0) }
        },
        bcrypt: { password, setting in
            var output = [CChar](repeating: 0, count: 384)
            guard ccrypt_knows_bcrypt() == 1 else {
                throw FarewellError(
                    "authority.no-bcrypt", .ours, "This system's crypt library cannot check imported bcrypt passwords.",
                    remedy: "Run the server on a system whose libcrypt knows bcrypt, such as Debian.")
            }
            guard ccrypt_hash(password, setting, &output, output.count) == 0 else { return "" }
            return output.withUnsafeBufferPointer { buffer in
                String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        })
}
