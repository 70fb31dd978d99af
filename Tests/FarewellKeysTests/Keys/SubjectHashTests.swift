// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Keyed hashes of subjects")
struct SubjectHashTests {
    let folder: StateFolder
    let keys: KeyStore

    init() throws {
        folder = try StateFolder()
        keys = try folder.keys()
    }

    @Test("a subject's hash is 64 hexadecimal digits that depend on table, key and installation")
    func depends() {
        let one = keys.subjectHash(table: TableName("users"), key: .integer(1))
        #expect(one.rawValue.count == 64 && one.rawValue.allSatisfy { $0.isHexDigit })
        #expect(one == keys.subjectHash(table: TableName("users"), key: .integer(1)))
        #expect(one != keys.subjectHash(table: TableName("users"), key: .integer(2)))
        #expect(one != keys.subjectHash(table: TableName("people"), key: .integer(1)))
        #expect(one != keys.subjectHash(table: TableName(schema: "public", "users"), key: .integer(1)))
    }

    @Test("a key has one hash, whatever the type of its column")
    func types() throws {
        let uuid = try #require(UUID(uuidString: "6E3B6C3E-53C7-4C4E-9B1D-2F3A5E0B7C11"))
        let table = TableName("users")
        #expect(
            keys.subjectHash(table: table, key: .uuid(uuid))
                == keys.subjectHash(table: table, key: .text("6e3b6c3e-53c7-4c4e-9b1d-2f3a5e0b7c11")))
        #expect(keys.subjectHash(table: table, key: .integer(7)) == keys.subjectHash(table: table, key: .text("7")))
        #expect(keys.subjectHash(table: table, key: .null) != keys.subjectHash(table: table, key: .text("null")))
        #expect(keys.subjectHash(table: table, key: .bytes([97])) != keys.subjectHash(table: table, key: .text("a")))
    }

    @Test("no two lists of fields have the same bytes")
    func fields() {
        let table = TableName("t")
        let split = keys.incarnationHash(table: table, key: .text("a"), values: ["b": .text("c")])
        #expect(split != keys.incarnationHash(table: table, key: .text("ab"), values: ["": .text("c")]))
        #expect(split != keys.incarnationHash(table: table, key: .text("a"), values: ["bc": .text("")]))
        #expect(split != keys.incarnationHash(table: table, key: .text("a"), values: ["b": .text("c"), "d": .null]))
        #expect(split != keys.subjectHash(table: table, key: .text("a")).rawValue)
        let nested = keys.subjectHash(table: table, key: .array([.array([.text("a")]), .text("b")]))
        #expect(nested != keys.subjectHash(table: table, key: .array([.array([.text("a"), .text("b")])])))
    }

    @Test("a reused integer key counts as another incarnation")
    func incarnation() {
        let table = TableName("users")
        func hash(_ microseconds: Double) -> String {
            let created = SQLValue.timestamp(Date(timeIntervalSince1970: 1_700_000_000 + microseconds / 1_000_000))
            return keys.incarnationHash(table: table, key: .integer(7), values: ["created_at": created])
        }
        #expect(hash(0) == hash(0))
        #expect(hash(0) != hash(1))
    }

    @Test("HMAC and canonical fields equal those of another implementation")
    func oracle() async throws {
        let file = try #require(
            try JSONSerialization.jsonObject(with: folder.read("keys.json")) as? [String: Any])
        let pepper = try #require(file["pepper"] as? String)
        let script = """
            import base64, hashlib, hmac, struct, sys
            key = base64.urlsafe_b64decode(sys.argv[1] + "=")
            fields = ["farewell/subject/v1", "auth.users", "text", "jane ü"]
            data = b"".join(struct.pack(">Q", len(f.encode())) + f.encode() for f in fields)
            print(hmac.new(key, data, hashlib.sha256).hexdigest(), end="")
            """
        let answer = try Program.python(script, [pepper])
        let ours = keys.subjectHash(table: TableName(schema: "auth", "users"), key: .text("jane ü"))
        #expect(answer == ours.rawValue)
    }

    @Test("Item 57: a reader who guesses the subject and knows all public data cannot confirm the guess by a receipt")
    func guesses() throws {
        let (name, table) = ("jane@example.org", "auth.users")
        let subject = keys.subjectHash(table: TableName(schema: "auth", "users"), key: .text(name)).rawValue
        let receipt = try sampleReceipt(subject: subject)
        let text = String(decoding: try receipt.canonicalJSON(), as: UTF8.self)
        let published = [
            receipt.id.uuidString, receipt.id.uuidString.lowercased(), receipt.planFingerprint, receipt.schemaFingerprint,
            receipt.engineVersion, keys.signingKey.publicKey.id, "", "farewell", "farewell/subject/v1",
        ]
        let guesses = [name, "\(table):\(name)", "\(table)|\(name)", "farewell/subject/v1\(table)text\(name)"]
        for guess in guesses.map({ Data($0.utf8) }) {
            var made: [any Sequence<UInt8>] = [
                SHA256.hash(data: guess), SHA512.hash(data: guess), Insecure.SHA1.hash(data: guess), Insecure.MD5.hash(data: guess),
            ]
            for key in published {
                made.append(HMAC<SHA256>.authenticationCode(for: guess, using: SymmetricKey(data: Data(key.utf8))))
                made.append(SHA256.hash(data: Data(key.utf8) + guess))
                made.append(SHA256.hash(data: guess + Data(key.utf8)))
            }
            for bytes in made {
                let digest = Array(bytes)
                #expect(!text.contains(digest.hexadecimal) && !text.contains(Base64URL.text(digest)))
            }
        }
        #expect(!text.contains(name) && text.contains(subject))
        let elsewhere = try StateFolder().keys().subjectHash(table: TableName(schema: "auth", "users"), key: .text(name))
        #expect(elsewhere.rawValue != subject, "two installations say nothing about each other's people")
    }
}
