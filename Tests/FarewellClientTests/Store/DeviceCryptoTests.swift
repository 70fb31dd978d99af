// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Testing

@testable import FarewellClient

/// swift-crypto is the oracle: each library must read the other's output.
@Suite("The cryptography of a device")
struct DeviceCryptoTests {
    @Test("SE-1 another library opens sealed data, and its sealed data opens here, of any length")
    func bothWays() throws {
        for length in [0, 1, 15, 16, 17, 1_000, 1 << 20] {
            let (key, twin) = try keys()
            let (plain, bound) = (try bytes(length), try bytes(length % 50))
            let sealed = try DeviceCrypto.seal(plain, under: key, bound: bound)
            let opened = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: twin, authenticating: bound)
            #expect(opened == plain, "\(length) bytes")
            let theirs = try #require(try AES.GCM.seal(plain, using: twin, authenticating: bound).combined)
            #expect(try DeviceCrypto.open(theirs, under: key, bound: bound) == plain, "\(length) bytes")
        }
    }

    @Test("SE-1 data with a changed bit, a cut, or another binding does not open")
    func changed() throws {
        let (key, _) = try keys()
        let (plain, bound) = (try bytes(40), try bytes(9))
        let sealed = try DeviceCrypto.seal(plain, under: key, bound: bound)
        for place in 0..<sealed.count * 8 {
            var changed = sealed
            changed[place / 8] ^= 1 << UInt8(place % 8)
            #expect(try DeviceCrypto.open(changed, under: key, bound: bound) == nil, "bit \(place)")
        }
        for length in 0..<sealed.count {
            #expect(try DeviceCrypto.open(sealed.prefix(length), under: key, bound: bound) == nil, "\(length) bytes")
        }
        #expect(try DeviceCrypto.open(sealed, under: key, bound: bound + [0]) == nil)
        #expect(try DeviceCrypto.open(sealed, under: try keys().0, bound: bound) == nil)
        #expect(throws: (any Error).self) {
            try DeviceCrypto.seal(plain, under: try DeviceCrypto.makeSecret(count: 16), bound: bound)
        }
    }

    @Test("Derived keys and hashes equal those of another library")
    func derivedAlike() throws {
        for length in [1, 8, 32, 64, 255] {
            let (key, twin) = try keys()
            let info = try bytes(length % 40)
            let derived = try DeviceCrypto.derive(from: key, info: info, count: length)
            let theirs = HKDF<SHA256>.deriveKey(inputKeyMaterial: twin, info: info, outputByteCount: length)
            #expect(derived.withUnsafeBytes { Data($0) } == theirs.withUnsafeBytes { Data($0) }, "\(length) bytes")
            let data = try bytes(length)
            #expect(DeviceCrypto.hash(data) == Data(SHA256.hash(data: data)))
        }
        #expect(DeviceCrypto.hash(Data()) == Data(SHA256.hash(data: Data())))
    }

    @Test("Secrets are equal when their bytes are equal, and no two generated secrets are equal")
    func equality() throws {
        let data = try bytes(32)
        #expect(Secret(data: data) == Secret(data: data))
        #expect(Secret(data: data) != Secret(data: data.prefix(31)))
        #expect(Secret(data: Data()) == Secret(data: Data()))
        var last = data
        last[31] ^= 1
        #expect(Secret(data: data) != Secret(data: last))
        #expect(try DeviceCrypto.makeSecret(count: 32) != DeviceCrypto.makeSecret(count: 32))
    }

    private func bytes(_ count: Int) throws -> Data {
        try DeviceCrypto.makeSecret(count: count).withUnsafeBytes { Data($0) }
    }

    /// One key, as the device holds it and as the oracle does.
    private func keys() throws -> (Secret, SymmetricKey) {
        let data = try bytes(32)
        return (Secret(data: data), SymmetricKey(data: data))
    }
}
