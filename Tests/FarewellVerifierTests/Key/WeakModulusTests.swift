// SPDX-License-Identifier: Apache-2.0

import CryptoExtras
import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("RSA keys of a generator with a known weakness")
struct WeakModulusTests {
    /// The product of two primes k·M + (65537^a mod M) of 1,024 bits, with M the product of the first 126 primes: made
    /// for this test, with big integers and the test of Miller and Rabin.
    private static let weak =
        "yQUSEeQcN3-wqOkLAf4GP8XqJLlVEv53JNJMjoF28yc4mjjNLlh56fHMFxTeR4Xf3hFp8o5BbGRkFIuECzjkNwBhqsh3BjkiPVs7pzHuBSt-"
        + "Y7I3QovtgQBwbFkMiruHQLTmOUyItlgLxz3JhvXFMjAruUReI47HnvyO5fqKahCMqYAy_hD_LB3a0jc1hQ9SaxuBt-tCs2eteS3R9-Q_QAx4"
        + "0XnOStsQtAJgIIlyqHl61MvStwupPNaHYLqWjcsJHyvJkc4SEsty1_Io7kHgrLWC-BGN-g5K3_KNI1o66W4TMocKnXwGfAf9vjFT_bqfFVRC"
        + "G-2BGYpWlE25sy4uRQ"

    private func set(_ modulus: String) throws -> KeySet {
        let jwk = #"{"kty":"RSA","kid":"r","alg":"RS256","n":"\#(modulus)","e":"AQAB"}"#
        return try KeySet(Array(#"{"keys":[\#(jwk)]}"#.utf8), for: [.rs256])
    }

    @Test("SRV-06 a published key of the weak generator (ROCA) is refused")
    func refused() throws {
        let modulus = try #require(Base64URL.bytes(Self.weak))
        #expect(WeakModulus.isOne(modulus))
        #expect(try set(Self.weak)["r"] == nil)
        // The same key but for one bit in the middle is a key like any other.
        var other = modulus
        other[128] ^= 1
        #expect(!WeakModulus.isOne(other))
        #expect(try set(Base64URL.text(other))["r"] != nil)
    }

    @Test("SRV-06 no modulus of another generator counts as one of the weak generator")
    func others() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var modulus = (0..<256).map { _ in UInt8.random(in: 0...255, using: &generator) }
            modulus[0] |= 0x80
            modulus[255] |= 1
            #expect(!WeakModulus.isOne(modulus))
        }
        for _ in 0..<3 {
            let parts = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.getKeyPrimitives()
            #expect(!WeakModulus.isOne(parts.modulus))
            #expect(try set(Base64URL.text(parts.modulus))["r"] != nil)
        }
        #expect(!WeakModulus.isOne([UInt8]()))
    }
}
