// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The sealed data of a run")
struct RunSealTests {
    let folder: StateFolder
    let keys: KeyStore
    let secret = Data("jane@example.org".utf8)

    init() throws {
        folder = try StateFolder()
        keys = try folder.keys()
    }

    @Test("sealed data opens again with the wrapped key of the run")
    func roundTrip() throws {
        let run = UUID()
        let seal = keys.newSeal(run: run)
        let sealed = try seal.seal(secret)
        #expect(try seal.open(sealed) == secret)
        let again = try KeyStore.existing(in: .existing(at: folder.path)).seal(run: run, wrappedKey: seal.wrappedKey())
        #expect(try again.open(sealed) == secret)
        #expect(try again.open(try seal.seal(Data())) == Data())
    }

    @Test("neither sealed data nor the wrapped key holds the plain bytes, and no two seals are equal")
    func hidden() throws {
        let seal = keys.newSeal(run: UUID())
        let (one, other) = (try seal.seal(secret), try seal.seal(secret))
        #expect(one != other)
        for data in [one, other, try seal.wrappedKey()] { #expect(data.range(of: secret) == nil) }
        #expect(try keys.newSeal(run: seal.run).wrappedKey() != seal.wrappedKey())
    }

    @Test("any changed byte of a seal or of a wrapped key is refused")
    func tampered() throws {
        let seal = keys.newSeal(run: UUID())
        let sealed = try seal.seal(secret)
        for place in sealed.indices {
            var bad = sealed
            bad[place] ^= 0x80
            #expect(code { _ = try seal.open(bad) } == "seal.unreadable")
        }
        for place in try seal.wrappedKey().indices {
            var bad = try seal.wrappedKey()
            bad[place] ^= 1
            #expect(code { _ = try keys.seal(run: seal.run, wrappedKey: bad) } == "seal.unreadable")
        }
        for bad in [Data(), Data(count: 12), sealed.dropLast(), sealed + Data([0])] {
            #expect(code { _ = try seal.open(bad) } == "seal.unreadable")
        }
    }

    @Test("a seal is bound to its run, its purpose and its installation")
    func bound() throws {
        let (one, other) = (UUID(), UUID())
        let seal = keys.newSeal(run: one)
        #expect(code { _ = try keys.seal(run: other, wrappedKey: seal.wrappedKey()) } == "seal.unreadable")
        #expect(code { _ = try keys.newSeal(run: one).open(try seal.seal(secret)) } == "seal.unreadable")
        #expect(code { _ = try keys.newSeal(run: other).open(try seal.seal(secret)) } == "seal.unreadable")
        #expect(code { _ = try seal.open(seal.wrappedKey()) } == "seal.unreadable")
        let foreign = try StateFolder().keys()
        #expect(code { _ = try foreign.seal(run: one, wrappedKey: seal.wrappedKey()) } == "seal.unreadable")
    }

    @Test("AES-256-GCM with the run as associated data opens in another implementation")
    func oracle() throws {
        let run = try #require(UUID(uuidString: "6E3B6C3E-53C7-4C4E-9B1D-2F3A5E0B7C11"))
        let seal = keys.newSeal(run: run)
        let file = try #require(try JSONSerialization.jsonObject(with: folder.read("keys.json")) as? [String: Any])
        let script = """
            import base64, sys
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            b = lambda t: base64.urlsafe_b64decode(t + "=" * (-len(t) % 4))
            master, wrapped, sealed = map(b, sys.argv[1:4])
            label = lambda p: f"farewell/seal/{p}/v1/6e3b6c3e-53c7-4c4e-9b1d-2f3a5e0b7c11".encode()
            key = AESGCM(master).decrypt(wrapped[:12], wrapped[12:], label("key"))
            print(AESGCM(key).decrypt(sealed[:12], sealed[12:], label("data")).decode(), end="")
            """
        let arguments = [
            try #require(file["master"] as? String), Base64URL.text(try seal.wrappedKey()),
            Base64URL.text(try seal.seal(secret)),
        ]
        #expect(try Program.python(script, arguments) == "jane@example.org")
    }

    @Test("a keyed hash is the same within a run and column, and different in every other")
    func hashes() throws {
        let (one, other) = (keys.newSeal(run: UUID()), keys.newSeal(run: UUID()))
        let (email, name) = (ColumnName(TableName("users"), "email"), ColumnName(TableName("users"), "name"))
        let value = SQLValue.text("jane@example.org")
        #expect(one.keyedHash(of: value, column: email) == one.keyedHash(of: value, column: email))
        #expect(one.keyedHash(of: value, column: email) != one.keyedHash(of: value, column: name))
        #expect(one.keyedHash(of: value, column: email) != other.keyedHash(of: value, column: email))
        #expect(one.columnKey(email).bytes != one.columnKey(name).bytes)
    }
}
