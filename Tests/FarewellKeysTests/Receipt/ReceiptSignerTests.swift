// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Signed receipts")
struct ReceiptSignerTests {
    let key = SigningKey(seed: [UInt8](repeating: 7, count: 32))
    var keys: PublicKeyList { PublicKeyList([key.publicKey]) }

    func signed() throws -> String { try ReceiptSigner(key: key).sign(try sampleReceipt()) }

    /// Signed text with a header and a payload of our choosing, and a good signature.
    func forged(header: String, payload: Data? = nil) throws -> String {
        let body = try payload ?? sampleReceipt().canonicalJSON()
        let input = Base64URL.text(Data(header.utf8)) + "." + Base64URL.text(body)
        return input + "." + Base64URL.text(try key.signature(for: Data(input.utf8)))
    }

    @Test("BX-6 a signed receipt is verified by the public key alone")
    func verifies() throws {
        let jws = try signed()
        let published = try PublicKeyList(json: keys.json())
        let verified = try ReceiptVerifier(keys: published).verify(jws)
        #expect(verified.receipt == (try sampleReceipt()))
        #expect(verified.key == key.publicKey.id)
        #expect(try ReceiptVerifier(keys: published).verify(jws + "\n") == verified)
    }

    @Test("BX-6 a signed receipt with any character changed, dropped or duplicated is refused")
    func flipped() throws {
        let jws = Array(try signed().utf8)
        let verifier = ReceiptVerifier(keys: keys)
        for place in jws.indices {
            for flip in [UInt8(1), 4, 32] {
                var bad = jws
                bad[place] ^= flip
                let text = String(decoding: bad, as: UTF8.self)
                #expect(throws: FarewellError.self, "\(place)") { try verifier.verify(text) }
            }
            var shorter = jws
            shorter.remove(at: place)
            #expect(throws: FarewellError.self) { try verifier.verify(String(decoding: shorter, as: UTF8.self)) }
            var longer = jws
            longer.insert(jws[place], at: place)
            #expect(throws: FarewellError.self) { try verifier.verify(String(decoding: longer, as: UTF8.self)) }
        }
    }

    @Test("BX-6 a change of any field breaks the signature")
    func fields() throws {
        let parts = try signed().split(separator: ".")
        let verifier = ReceiptVerifier(keys: keys)
        let changes: [(inout Receipt) -> Void] = [
            { $0.version = 0 }, { $0.id = UUID() }, { $0.subject += "0" }, { $0.requestedAt += 1 },
            { $0.finishedAt += 1 },
            { $0.issuedAt += 0.001 }, { $0.planFingerprint = "" }, { $0.schemaFingerprint = "" },
            { $0.engineVersion = "9" }, { $0.steps[0].outcome = .nothingThere }, { $0.steps[0].places[0].erased = 13 },
            { $0.steps[0].name = "r" }, { $0.steps[0].store = "s" }, { $0.steps[0].places[0].bytes = 1 },
            { $0.retained = [] }, { $0.retained[0].until = nil }, { $0.retained[0].reason = "" },
            { $0.retained[0].rows = 0 }, { $0.verification.readBack.places = 1 },
            { $0.verification.deepScan.extent = .complete }, { $0.verification.residue.state = .scrubbed },
            { $0.notVerifiable = [] }, { $0.outOfScope = [.replicas] },
        ]
        for (index, change) in changes.enumerated() {
            var receipt = try sampleReceipt()
            change(&receipt)
            let body = Base64URL.text(try receipt.canonicalJSON())
            #expect(body != parts[1], "\(index)")
            #expect(
                code { _ = try verifier.verify("\(parts[0]).\(body).\(parts[2])") } == "signature.wrong", "\(index)")
        }
    }

    @Test(
        "the algorithm is fixed: no other one is accepted, whatever the header names",
        arguments: [
            "none", "NoNe", "HS256", "ES256", "Ed25519", "eddsa", "EdDSA ", "",
        ])
    func algorithms(name: String) throws {
        let header = #"{"alg":"\#(name)","kid":"\#(key.publicKey.id)","typ":"farewell-receipt+jws"}"#
        #expect(
            code { _ = try ReceiptVerifier(keys: keys).verify(try forged(header: header)) } == "signature.malformed")
        let unsigned = try forged(header: header).split(separator: ".").prefix(2).joined(separator: ".") + "."
        #expect(code { _ = try ReceiptVerifier(keys: keys).verify(unsigned) } == "signature.malformed")
    }

    @Test("a header with any foreign field is refused, even with a valid signature")
    func headers() throws {
        let id = key.publicKey.id
        let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.text(key.publicKey.rawRepresentation))"}"#
        for header in [
            #"{"alg":"EdDSA","crit":["exp"],"kid":"\#(id)","typ":"farewell-receipt+jws"}"#,
            #"{"alg":"EdDSA","jwk":\#(jwk),"kid":"\#(id)","typ":"farewell-receipt+jws"}"#,
            #"{"alg":"EdDSA","jku":"http://127.0.0.1:1/","kid":"\#(id)","typ":"farewell-receipt+jws"}"#,
            #"{"alg":"none","alg":"EdDSA","kid":"\#(id)","typ":"farewell-receipt+jws"}"#,
            #"{"alg":"EdDSA","alg":"EdDSA","kid":"\#(id)","typ":"farewell-receipt+jws"}"#,
            #"{"typ":"farewell-receipt+jws","alg":"EdDSA","kid":"\#(id)"}"#,
            #"{"alg":"EdDSA", "kid":"\#(id)","typ":"farewell-receipt+jws"}"#,
            #"{"alg":"EdDSA","kid":"\#(id)","typ":"farewell-audit-head+jws"}"#,
            #"{"alg":"EdDSA","kid":"\#(id)","typ":"JWT"}"#, #"{"alg":"EdDSA","kid":"\#(id)"}"#, "{}", "[]", "",
            String(repeating: "[", count: 100_000),
        ] {
            let text = try forged(header: header)
            #expect(
                code { _ = try ReceiptVerifier(keys: keys).verify(text) } == "signature.malformed",
                "\(header.prefix(60))")
        }
        #expect(
            try ReceiptVerifier(keys: keys).verify(
                try forged(header: #"{"alg":"EdDSA","kid":"\#(id)","typ":"farewell-receipt+jws"}"#)
            ).key == id)
    }

    @Test(
        "a key outside the list is refused, and no other one is tried",
        arguments: [
            "", "../../dev/null", "' OR 1=1", String(repeating: "x", count: 500),
        ])
    func unknownKey(name: String) throws {
        let header = #"{"alg":"EdDSA","kid":"\#(name)","typ":"farewell-receipt+jws"}"#
        #expect(
            code { _ = try ReceiptVerifier(keys: keys).verify(try forged(header: header)) } == "signature.unknown-key")
        let others = PublicKeyList([SigningKey(seed: [UInt8](repeating: 8, count: 32)).publicKey])
        #expect(code { _ = try ReceiptVerifier(keys: others).verify(try signed()) } == "signature.unknown-key")
    }

    @Test("text that is not three parts of base64url is refused, however long")
    func malformed() {
        let long = [String(repeating: "A", count: 9 << 20), String(repeating: ".", count: 1 << 20)]
        for text in ["", ".", "..", "...", "a.b", "a.b.c.d", "ey.ey.ey", "\u{0}.\u{0}.\u{0}", "ä.ö.ü"] + long {
            let found = code { _ = try ReceiptVerifier(keys: keys).verify(text) }
            #expect(found == "signature.malformed", "\(text.prefix(20))")
        }
    }

    @Test("a correctly signed payload that is not a receipt is refused")
    func payload() throws {
        let header = #"{"alg":"EdDSA","kid":"\#(key.publicKey.id)","typ":"farewell-receipt+jws"}"#
        for payload in [Data(), Data("{}".utf8), Data([0xFF])] {
            let text = try forged(header: header, payload: payload)
            #expect(code { _ = try ReceiptVerifier(keys: keys).verify(text) } == "receipt.malformed")
        }
    }

    @Test("receipts signed before a rotation verify after it, and not with the new key alone")
    func rotation() throws {
        let folder = try StateFolder()
        let old = try folder.keys()
        let jws = try ReceiptSigner(key: old.signingKey).sign(try sampleReceipt())
        let new = try old.rotated(now: { Date(timeIntervalSince1970: 1_763_800_000) })
        #expect(try ReceiptVerifier(keys: new.publicKeys).verify(jws).key == old.signingKey.publicKey.id)
        let onlyNew = PublicKeyList([new.signingKey.publicKey])
        #expect(code { _ = try ReceiptVerifier(keys: onlyNew).verify(jws) } == "signature.unknown-key")
        let newer = try ReceiptSigner(key: new.signingKey).sign(try sampleReceipt())
        #expect(try ReceiptVerifier(keys: new.publicKeys).verify(newer).key == new.signingKey.publicKey.id)
    }

    @Test("BX-6 OpenSSL verifies the signature, and rejects one with a changed byte")
    func openSSL() throws {
        let folder = try StateFolder()
        let parts = try signed().split(separator: ".")
        // SubjectPublicKeyInfo of Ed25519 (RFC 8410): twelve fixed bytes and the key.
        let prefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
        try Data(prefix + key.publicKey.rawRepresentation).write(to: URL(fileURLWithPath: folder.path("key.der")))
        try Data(try #require(Base64URL.bytes(parts[2]))).write(to: URL(fileURLWithPath: folder.path("signature")))
        func check(_ input: String) throws -> Int32 {
            try Data(input.utf8).write(to: URL(fileURLWithPath: folder.path("input")))
            return try Program.run(
                "openssl",
                [
                    "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", folder.path("key.der"), "-rawin",
                    "-in", folder.path("input"), "-sigfile", folder.path("signature"),
                ]
            ).status
        }
        #expect(try check("\(parts[0]).\(parts[1])") == 0)
        #expect(try check("\(parts[0]).\(parts[1])A") != 0)
    }

    @Test("BX-6 a JOSE library of another project verifies our receipt with our published keys and reads the same fields")
    func jose() throws {
        let script = """
            import json, jwt, sys
            from jwt import PyJWKSet
            token = sys.argv[1]
            header = jwt.get_unverified_header(token)
            key = PyJWKSet.from_json(sys.argv[2])[header["kid"]].key
            payload = jwt.api_jws.PyJWS().decode(token, key, algorithms=["EdDSA"])
            receipt = json.loads(payload)
            assert json.dumps(receipt, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == payload
            try:
                jwt.api_jws.PyJWS().decode(token[:-10] + "A" * 10, key, algorithms=["EdDSA"])
                print("accepted a changed one", end="")
            except jwt.InvalidSignatureError:
                print(header["typ"], receipt["id"], receipt["steps"][0]["places"][0]["erased"], end="")
            """
        let list = String(decoding: try keys.json(), as: UTF8.self)
        let answer = try Program.python(script, [try signed(), list])
        #expect(answer == "farewell-receipt+jws 6e3b6c3e-53c7-4c4e-9b1d-2f3a5e0b7c11 12")
    }

    @Test("BX-6 no artefact holds any data of the subject, and no reader can test identifiers against it")
    func canaries() throws {
        let canaries = ["canary-7f3a@example.org", "6e11aa0e-0c0c-4c4c-8888-1234567890ab", "+49 170 7654321"]
        let folder = try StateFolder()
        let keys = try folder.keys()
        var artefacts = Data()
        for canary in canaries {
            let subject = keys.subjectHash(table: TableName("users"), key: .text(canary))
            let receipt = try sampleReceipt(subject: subject.rawValue)
            let jws = try ReceiptSigner(key: keys.signingKey).sign(receipt)
            artefacts += Data(jws.utf8) + (try receipt.canonicalJSON())
            artefacts += Data((ReceiptPage.html(receipt, jws: jws) + ReceiptText.text(receipt)).utf8)
            let seal = keys.newSeal(run: UUID())
            artefacts += try seal.wrappedKey() + (try seal.seal(Data(canary.utf8)))
            let incarnation = keys.incarnationHash(
                table: TableName("users"), key: .text(canary), values: ["email": .text(canary)])
            try LedgerFile(keys).append([
                LedgerEntry(
                    subject: subject, incarnation: incarnation, erasedAt: receipt.finishedAt, receipt: receipt.id)
            ])
            let entry = try AuditChain.entry(
                after: nil, at: receipt.finishedAt, actor: "command", act: "erasure.finished", run: UUID(),
                subject: subject, details: ["mail": canaries[0], "rows": "12"])
            artefacts += try AuditLines.data([entry])
            // The hashes that can be made without the key.
            artefacts += try folder.everything()
            for guess in [canary, "users" + canary, "users/" + canary, "users:" + canary] {
                let plain = Data(
                    try Program.python(
                        """
                        import hashlib, sys
                        print(*(f(sys.argv[1].encode()).hexdigest() for f in (hashlib.sha256, hashlib.md5)), end="")
                        """, [guess]
                    ).utf8)
                for hash in plain.split(separator: UInt8(ascii: " ")) { #expect(artefacts.range(of: hash) == nil) }
            }
        }
        for canary in canaries {
            let bytes = Data(canary.utf8)
            for form in [bytes, Data(bytes.base64EncodedString().utf8), Data(bytes.hexadecimal.utf8)] {
                #expect(artefacts.range(of: form.dropLast(3)) == nil)
            }
            // The signed text is base64: look inside as well.
            for part in artefacts.split(separator: UInt8(ascii: ".")) {
                let inside = Base64URL.bytes(String(decoding: part, as: UTF8.self)).map { Data($0) } ?? Data()
                #expect(inside.range(of: bytes) == nil)
            }
        }
    }
}
