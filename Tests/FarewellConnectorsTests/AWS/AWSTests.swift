// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Foundation
import Subprocess
import Testing

@Suite("AWS, simulated by moto and checked by boto3", .serialized, .contracts)
struct AWSTests {
    @Test(
        "Items 46, 48, F10-F16 every promise of a connector holds, with every failure",
        arguments: ["cognito", "entitlements", "orders", "photos"])
    func promises(_ kind: String) async throws {
        let bed = try AWSBed(kind)
        // Of a number no name differs by capitals or marks.
        if kind != "orders" { try await bed.requireEveryRow() }
        try await ConnectorConformance(bed).run()
    }

    @Test(
        "Item 44 erasing u1 leaves u10 unchanged to the byte, and the reverse: users, items, objects in all their versions",
        arguments: ["cognito", "subject", "entitlements", "userprofiles", "orders", "photos"])
    func neighbours(_ kind: String) async throws {
        let bed = try AWSBed(kind)
        // Buyers are numbers: of one person 101, of their neighbours 1010 and 102.
        let names = kind == "orders" ? ["test-1"] : ["u1", "u10"]
        for name in names {
            let person = try await bed.settle(name)
            let before = try await bed.census()
            let own = bed.entries(of: person, in: before)
            #expect(!own.isEmpty && own.count < before.count)
            var cursor: String?
            repeat {
                let answer = try await bed.connector.erase(.init(key: "k", names: person, cursor: cursor))
                cursor = if case .more(_, let next) = answer { next } else { nil }
            } while cursor != nil
            #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .gone)
            #expect(try await bed.census() == before.filter { !own.contains($0.key) }, "\(kind): \(name)")
        }
    }

    @Test("SY-2 keys by template and objects of strange names: every neighbour stays, byte for byte", arguments: ["single", "strange"])
    func strangeName(_ kind: String) async throws { try await AWSBed(kind).eraseStrangeName() }

    @Test("calls of AWS are signed as botocore signs them")
    func signatures() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Interop/aws_signatures.py")
        let result = try await Subprocess.run(
            .name("python3"), arguments: [script.path], output: .bytes(limit: 1 << 24), error: .string(limit: 1 << 16))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        let lines = Array(result.standardOutput).split(separator: 0x0a)
        for line in lines {
            let given = try StrictJSON.value(Array(line))
            func text(_ name: String) throws -> String { try #require(given[name]?.string) }
            func pairs(_ name: String) -> [(name: String, value: String)] {
                (given[name]?.array ?? []).map { ($0.array?.first?.string ?? "", $0.array?.last?.string ?? "") }
            }
            var call = SystemCall(
                try text("method"), try SystemAddress("https://\(text("host"))", system: "aws"), try text("path"),
                query: pairs("query"), headers: pairs("headers"), body: Array(try text("body").utf8), permission: "")
            let credentials = AWSCredentials(
                accessKeyID: try text("access"), secretAccessKey: try text("secret"), sessionToken: given["token"]?.string)
            SignatureV4(region: try text("region"), service: try text("service")).sign(
                &call, with: credentials, at: Double(try #require(given["now"]?.integer)))
            let (expected, service) = (try text("authorization"), try text("service"))
            #expect(call.headers.last?.value == expected, "\(service)")
        }
        #expect(lines.count == 400)
    }

    @Test(
        "EX-1 all data of one user in S3 and DynamoDB is read, and none of a neighbour's",
        arguments: ["photos", "orders", "entitlements", "single"])
    func reads(_ kind: String) async throws {
        let bed = try AWSBed(kind)
        let person = try await bed.settle()
        let before = try await bed.census()
        let own = bed.entries(of: person, in: before)
        let sink = CollectingSink()
        let connector = try #require(bed.connector as? any ReadingConnector)
        try await connector.read(.init(key: "k", names: person), into: sink)
        #expect(try await bed.census() == before)
        let items = sink.items
        if kind == "photos" {
            #expect(!items.isEmpty && items.allSatisfy { $0.name.hasPrefix("users/\(person[0])/") }, "\(items.map(\.name))")
        } else {
            #expect(items.count == 1 && items[0].name.hasSuffix(".json"))
            let read = try #require(try JSONSerialization.jsonObject(with: Data(items[0].bytes)) as? [Any])
            #expect(read.count == own.count && !own.isEmpty)
        }
        let none = CollectingSink()
        try await connector.read(.init(key: "k", names: [bed.nobody]), into: none)
        #expect(none.items.allSatisfy { String(decoding: $0.bytes, as: UTF8.self) == "[]\n" }, "\(none.items.map(\.name))")
    }

    @Test("F15 items that DynamoDB left unprocessed are sent again until none is left")
    func unprocessed() async throws {
        let bed = try AWSBed("entitlements")
        let person = try await bed.settle()
        await bed.sending.answer { call, network in
            guard call.headers.contains(where: { $0.value.hasSuffix("BatchWriteItem") }),
                let body = try? StrictJSON.value(call.body, depth: 32), case .object(let tables)? = body["RequestItems"],
                let requests = tables["entitlements"]?.array, requests.count > 1
            else { return nil }
            // It takes the first half, and says which it did not take.
            var taken = call
            let half = requests.count / 2
            let encoder = JSONEncoder()
            taken.body = Array(
                try encoder.encode(JSONValue.object(["RequestItems": .object(["entitlements": .array(Array(requests.prefix(half)))])])))
            let reply = try await network.send(taken)
            guard reply.status == 200 else { return reply }
            let left = JSONValue.object([
                "UnprocessedItems": .object(["entitlements": .array(Array(requests.dropFirst(half)))])
            ])
            return SystemReply(
                status: 200, headers: ["content-type": "application/x-amz-json-1.0"], body: Array(try encoder.encode(left)))
        }
        #expect(try await bed.connector.erase(.init(key: "k", names: person)) == .erased(30))
        #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
        #expect(await bed.sending.calls > 5)
    }

    @Test("SY-2 F15 an item that the index still names but that now belongs to another user stays, and the others are erased")
    func staleIndex() async throws {
        let bed = try AWSBed("orders")
        let person = try await bed.settle()
        let before = try await bed.census()
        let own = bed.entries(of: person, in: before)
        let other = try #require(before.keys.first { !own.contains($0) })
        let order = try #require(other.firstMatch(of: #/"order_id": \{"S": "([^"]+)"/#).map { String($0.1) })
        // The index shows an order that was the person's a moment ago.
        await bed.sending.answer { call, network in
            guard call.headers.contains(where: { $0.value.hasSuffix(".Query") }) else { return nil }
            let reply = try await network.send(call)
            guard let value = try? StrictJSON.value(reply.body), case .object(var members) = value,
                let items = members["Items"]?.array
            else { return reply }
            let stale = JSONValue.object([
                "order_id": .object(["S": .string(order)]), "buyer": .object(["N": .string(person[0])]),
            ])
            members["Items"] = .array([stale] + items)
            members["Count"] = .integer(Int64(items.count + 1))
            return .json(200, String(decoding: try JSONEncoder().encode(JSONValue.object(members)), as: UTF8.self))
        }
        #expect(try await bed.connector.erase(.init(key: "k", names: person)) == .erased(own.count))
        #expect(try await bed.census() == before.filter { !own.contains($0.key) })
    }

    @Test("F15 an object that S3 could not delete is deleted again, and another object's error does not count as its answer")
    func partialErrors() async throws {
        let bed = try AWSBed("photos")
        let person = try await bed.settle()
        let failures = Guarded(3)
        await bed.sending.answer { call, network in
            guard call.method == "POST",
                failures.withLock({
                    $0 -= 1; return $0 >= 0
                })
            else { return nil }
            let key = "users/\(person[0])/a.jpg"
            let text = "<DeleteResult><Error><Key>\(key)</Key><Code>InternalError</Code></Error></DeleteResult>"
            return SystemReply(status: 200, headers: ["content-type": "application/xml"], body: Array(text.utf8))
        }
        _ = try await bed.connector.erase(.init(key: "k", names: person))
        #expect(failures.withLock { $0 } < 0)
        // The error named no version: each version of the key was tried again.
        #expect(bed.entries(of: person, in: try await bed.census()).allSatisfy { !$0.contains("a.jpg") })
        await bed.sending.answer { call, _ in
            guard call.method == "POST" else { return nil }
            let text = "<DeleteResult><Error><Key>users/somebody/a.jpg</Key><Code>AccessDenied</Code></Error></DeleteResult>"
            return SystemReply(status: 200, body: Array(text.utf8))
        }
        let again = try await bed.settle()
        await #expect(throws: ConnectorFault.garbled("photos", "an error of another object")) {
            try await bed.connector.erase(.init(key: "k", names: again))
        }
    }

    @Test("the error about a locked object names its date, after all other objects are deleted")
    func locked() async throws {
        let bed = try AWSBed("locked")
        let person = try await bed.settle()
        do {
            _ = try await bed.connector.erase(.init(key: "k", names: person))
            Issue.record("A locked object was said to be gone.")
        } catch let fault as ConnectorFault {
            #expect(fault.error.code == "connector.refused" && fault.error.message.contains("2099-12-31"), "\(fault)")
        }
        let left = bed.entries(of: person, in: try await bed.census())
        #expect(left.count == 1 && left.first?.contains("b.jpg") == true, "\(left)")
    }

    @Test("a Cognito user is found by the subject of the token, and one with a similar name stays")
    func subject() async throws {
        let bed = try AWSBed("subject")
        let person = try await bed.settle()
        let before = try await bed.census()
        let own = bed.entries(of: person, in: before)
        #expect(own.count == 1)
        #expect(try await bed.connector.erase(.init(key: "k", names: person)) == .erased(1))
        #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .gone)
        #expect(try await bed.connector.erase(.init(key: "k", names: person)) == .nothingThere)
        await #expect(throws: ConnectorFault.self) { try await bed.connector.erase(.init(key: "k", names: ["\" or sub ^= \""])) }
        #expect(try await bed.census() == before.filter { !own.contains($0.key) })
    }

    @Test(
        "SYS-13 a missing pool, table or bucket is never read as a missing user, and the error names its setting",
        arguments: [("cognito", "pool"), ("entitlements", "table"), ("photos", "bucket")])
    func missing(_ kind: String, _ setting: String) async throws {
        let bed = try AWSBed(kind) { $0.settings[setting] = "eu-west-1-missing" }
        for act in [0, 1] {
            do {
                if act == 0 {
                    _ = try await bed.connector.verify(.init(key: "k", names: ["test-0"]))
                } else {
                    _ = try await bed.connector.erase(.init(key: "k", names: ["test-0"]))
                }
                Issue.record("\(kind) was not there, and that was taken for an answer.")
            } catch let fault as ConnectorFault {
                #expect(fault.error.code == "connector.misconfigured", "\(kind): \(fault)")
                #expect(fault.error.message.contains("no such \(setting) "), "\(kind): \(fault)")
                #expect(fault.error.message.contains("(setting `\(setting)`)"), "\(kind): \(fault)")
            }
        }
    }

    @Test("Item 44 a prefix that could reach a neighbour is refused before any listing")
    func prefixes() async throws {
        for prefix in ["users/{person}", "users/x{person}/", "users/", "{person}", "users/{person}/{person}/"] {
            #expect(throws: FarewellError.self, "\(prefix)") {
                try AWSBed("photos") { $0.settings["prefix"] = prefix }
            }
        }
        let bed = try AWSBed("photos")
        await #expect(throws: ConnectorFault.self) { try await bed.connector.erase(.init(key: "k", names: ["a/b"])) }
        #expect(await bed.calls == 0)
    }
}
