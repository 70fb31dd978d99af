// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Testing

// One after the other with the other tests of the same fakes.
extension FirebaseTests {
    private static let root = "projects/farewell-test/databases/(default)/documents/"

    private static func path(_ document: RawJSON) -> String {
        String((document["name"]?.string ?? "").dropFirst(root.count))
    }

    @Test(
        "EX-1 EX-2 every document of a user is read once with everything below it, and no document of a neighbour",
        arguments: [FirebaseBed.Place.document, .collection, .field, .number, .group])
    func documents(_ place: FirebaseBed.Place) async throws {
        let bed = try FirebaseBed(place)
        let person = try await bed.settle(more: 320)
        let own = bed.entries(of: person, in: try await bed.census())
        let read = try await Reading.of(person, by: bed)
        let documents = try read.elements("documents.json")
        #expect(read.items.count == 1 && Set(documents.map(Self.path)) == own && documents.count == own.count)
        #expect(documents.allSatisfy { $0["fields"] != nil })
        let strange = try await bed.settleStrangely()
        guard let strange else { return }
        let others = bed.entries(of: strange, in: try await bed.census())
        #expect(try await Reading.of(strange, by: bed).elements("documents.json").count == others.count)
    }

    @Test("EX-1 EX-3 values keep their types and their bytes, and values whose names say that they are secrets are left out")
    func typed() async throws {
        let bed = try FirebaseBed(.document)
        let person = try await bed.settle()
        let read = try await Reading.of(person, by: bed)
        let note = try #require(try read.elements("documents.json").first { Self.path($0) == "users/\(person[0])/notes/a" })
        let fields = try #require(note["fields"])
        #expect(fields["text"]?["stringValue"]?.string == "of \(person[0])")
        // Swift takes the two names for one.
        #expect(fields["caf\u{e9}"]?["doubleValue"]?.bytes.elementsEqual("-0.0".utf8) == true)
        #expect(fields["cafe\u{301}"]?["doubleValue"]?.string == "NaN")
        #expect(fields["hasPassword"] != nil && fields["place"]?["geoPointValue"]?["latitude"]?.value == .number(1.5))
        let text = try read.text("documents.json")
        #expect(text.contains(#""tokens":{"integerValue":"7"}"#) && !text.contains("hidden") && !text.contains("123456"))
        #expect(read.withheld == ["apiKey", "otp", "pushToken"])
    }

    @Test("EX-2 EX-3 the plan leaves out further values of documents, and keeps values that are not secrets")
    func planned() async throws {
        let bed = try FirebaseBed(.document) { $0.export = SystemExportRule(omit: ["place"], keep: ["otp"]) }
        let read = try await Reading.of(try await bed.settle(), by: bed)
        #expect(read.withheld == ["apiKey", "place", "pushToken"])
        #expect(try read.text("documents.json").contains(#""otp":{"integerValue":"123456"}"#))
        #expect(throws: FarewellError.self) { try FirebaseBed(.objects) { $0.export.omit = ["place"] } }
    }

    @Test(
        "EX-2 of a document about several people the value that names the user is read, or the whole if an erasure deletes it",
        arguments: [("list", "array", "remove"), ("map", "map", "remove"), ("list", "array", "erase"), ("map", "map", "erase")])
    func several(field: String, type: String, shared: String) async throws {
        let bed = try FirebaseBed(.field) {
            $0.settings.merge(["collection": "teams", "field": field, "type": type, "shared": shared]) { $1 }
        }
        let person = try await bed.settle(more: 40)
        let read = try await Reading.of(person, by: bed)
        let name = shared == "remove" ? "documents.naming-you.json" : "documents.json"
        let documents = try read.elements(name)
        let expected = Set(["teams/of-\(person[0])"] + (0..<40).map { "teams/more-\($0)" })
        #expect(Set(documents.map(Self.path)) == expected && documents.count == expected.count)
        for document in documents {
            let text = String(decoding: document.bytes, as: UTF8.self)
            #expect(text.contains(person[0]) && text.contains("common") == (shared == "erase"), "\(text)")
        }
    }

    @Test("EX-1 a document that is too long to read is counted, and all others are read")
    func tooLong() async throws {
        let bed = try FirebaseBed(.document)
        let person = try await bed.settle()
        let own = bed.entries(of: person, in: try await bed.census())
        await bed.sending.answer { call, _ in
            let body = String(decoding: call.body, as: UTF8.self).replacing("\\/", with: "/")
            guard call.url.hasSuffix(":batchGet"), body.contains("notes/b") else { return nil }
            throw SendingFailure.tooLong
        }
        let read = try await Reading.of(person, by: bed)
        #expect(try read.elements("documents.json").count == own.count - 1 && read.unreadable == 1)
    }

    @Test("EX-1 EX-3 an account is read without the hash and salt of its password, whatever the plan says")
    func account() async throws {
        let bed = try FirebaseBed(.account) { $0.export.keep = ["passwordHash", "salt"] }
        let person = try await bed.settle()
        let read = try await Reading.of(person, by: bed)
        let text = try read.text("account.json")
        #expect(read.items.count == 1 && text.contains("\(person[0])@example.org") && text.contains("passwordUpdatedAt"))
        #expect(!text.contains("hidden") && read.withheld == ["passwordHash", "salt"])
        #expect(try await Reading.of(["nobody"], by: bed).items.isEmpty)
    }

    @Test("EX-1 EX-2 every generation of every file is read, long ones in pieces, and no file of a neighbour")
    func objects() async throws {
        let bed = try FirebaseBed(.objects)
        let person = try await bed.settle()
        for name in ["film.long", "nothing.empty"] {
            _ = try await bed.peer.control("POST", "/put/firebase-storage", "users/\(person[0])/\(name)")
        }
        let own = bed.entries(of: person, in: try await bed.census()).map { String($0.prefix { $0 != "#" }) }
        await bed.inject(nil, at: 0, lasting: false)
        let read = try await Reading.of(person, by: bed)
        #expect(read.items.count == own.count && read.unreadable == 0)
        for item in read.items { #expect(item.bytes == contents(item.name), "\(item.name)") }
        let pieces = await bed.sending.sent.compactMap { call in call.headers.first { $0.name == "range" }?.value }
        #expect(Set(pieces).count == 3)
    }

    @Test("EX-1 a file that an interrupted export has read is not read again, but a new generation of it is")
    func continued() async throws {
        let bed = try FirebaseBed(.objects)
        let person = try await bed.settle()
        let first = try await Reading.of(person, by: bed)
        #expect(first.items.allSatisfy { $0.mark != nil })
        await bed.inject(nil, at: 0, lasting: false)
        let again = try await Reading.of(person, by: bed, after: Array(first.items.dropFirst()))
        #expect(again.items.map(\.name) == [first.items[0].name] && again.taken == first.items.dropFirst().map(\.name))
        let read = await bed.sending.sent.count { call in call.query.contains { $0.name == "alt" } }
        #expect(read == 1)
        _ = try await bed.peer.control("POST", "/put/firebase-storage", "users/\(person[0])/old/b c.jpg")
        let changed = try await Reading.of(person, by: bed, after: first.items)
        #expect(changed.items.map(\.name) == ["users/\(person[0])/old/b c.jpg"])
    }

    @Test("EX-1 EX-2 EX-3 everything below a user's place in the Realtime Database is read, without secrets, and no neighbour's")
    func tree() async throws {
        let bed = try FirebaseBed(.tree)
        let person = try await bed.settle(more: 3)
        let read = try await Reading.of(person, by: bed)
        let text = #"{"name":"\#(person[0])","notes":{"a":{"text":"x"},"b":true},"last seen":1,"many":{"k0":0,"k1":1,"k2":2}}"#
        #expect(read.items.map(\.name) == ["data.json"] && read.withheld == ["push_token"] && read.unreadable == 0)
        let written = try read.text("data.json")
        #expect(try RawJSON(Array(written.utf8)).value == RawJSON(Array(text.utf8)).value, "\(written)")
        #expect(try await Reading.of(["nobody"], by: bed).items.isEmpty)
    }

    @Test("EX-1 EX-3 a place of the Realtime Database that is too long for one answer is read key by key, with the same result")
    func longTree() async throws {
        let bed = try FirebaseBed(.tree) { $0.export.omit = ["last seen"] }
        let person = try await bed.settle(more: 3)
        let whole = try await Reading.of(person, by: bed)
        // The user's place and the notes are too long, and one note has no keys by which it could be read.
        await bed.sending.answer { call, _ in
            let isShallow = call.query.contains { $0.name == "shallow" }
            let path = call.encodedPath
            guard path.hasSuffix("/\(person[0]).json") || path.hasSuffix("/notes.json") || path.hasSuffix("/b.json"), !isShallow
            else { return nil }
            throw SendingFailure.tooLong
        }
        let read = try await Reading.of(person, by: bed)
        let value = try RawJSON(Array(try read.text("data.json").utf8))
        let expected = try RawJSON(Array(try whole.text("data.json").replacing(#","b":true"#, with: "").utf8))
        #expect(value.value == expected.value && value["many"] != nil && value["notes"]?["a"] != nil)
        #expect(read.unreadable == 1 && whole.withheld == ["last seen", "push_token"] && read.withheld == whole.withheld)
    }

    @Test(
        "EX-1 a wrong location and a key without rights fail an export, and never leave an empty part in it",
        arguments: [FirebaseBed.Place.account, .document, .field, .objects, .tree], [ConnectorMisleading.wrongPlace, .blindCredential])
    func misleading(_ place: FirebaseBed.Place, _ how: ConnectorMisleading) async throws {
        let bed = try FirebaseBed(place)
        let person = try await bed.settle()
        let connector = try #require(try await bed.misled(how) as? any ReadingConnector)
        await #expect(throws: ConnectorFault.self) {
            try await connector.read(.init(key: "export", names: person), into: CollectingSink())
        }
    }

    @Test("EX-1 every request of an export is valid under Google's discovery documents")
    func readingContract() async throws {
        var requests: [JSONValue] = []
        for place in [FirebaseBed.Place.account, .document, .collection, .field, .group, .objects] {
            let bed = try FirebaseBed(place)
            requests += try await VendorContract.reading(of: bed, kind: bed.name) { await bed.sending.sent }
        }
        for type in ["array", "map"] {
            let bed = try FirebaseBed(.field) {
                $0.settings.merge(["collection": "teams", "field": type == "map" ? "map" : "list", "type": type]) { $1 }
            }
            requests += try await VendorContract.reading(of: bed, kind: bed.name) { await bed.sending.sent }
        }
        let operations = try await VendorContract.check(requests)["operations"]
        #expect(operations?["firebase-storage"]?.array == ["storage.objects.get", "storage.objects.list"])
        #expect(operations?["firebase-auth"]?.array == ["identitytoolkit.projects.accounts.lookup"])
        let firestore = operations?["firestore"]?.array?.compactMap(\.string) ?? []
        #expect(firestore.count == 3 && firestore.contains { $0.hasSuffix("documents.batchGet") }, "\(firestore)")
    }
}
