// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Impossible answers of systems and impossible values of stores", .contracts)
struct SystemInputTests {
    @Test("the connector reads Retry-After as seconds or as an HTTP date, and ignores any other text, however large its numbers")
    func retryAfter() {
        func wait(_ text: String) -> Double? {
            SystemReply(status: 503, headers: ["retry-after": text]).retryAfter(at: 784_111_700)
        }
        #expect(wait("7") == 7 && wait("1e300") == 86_400 && wait("Sun, 06 Nov 1994 08:49:37 GMT") == 77)
        let bads = [
            "", "-1", "nan", "inf", "1e400", "Sun, 06 Nov \(Int.max) 08:49:37 GMT", "Sun, \(Int.max) Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 \(Int.max):49:37 GMT", "Sun, 06 Nov 1994 08:\(Int.max):37 GMT",
            "Sun, 06 Nov 1994 08:49:\(Int.max) GMT", "Sun, 06 Nov 1994 \(Int.min):49:37 GMT",
        ]
        for bad in bads { #expect(wait(bad) == nil, "\(bad)") }
    }

    @Test("an address with an impossible port is refused when the plan is read")
    func ports() throws {
        for port in ["65536", "70000", "-1"] {
            #expect(throws: FarewellError.self, "\(port)") { try SystemAddress("https://192.0.2.1:\(port)/x", system: "a") }
            #expect(throws: FarewellError.self, "\(port)") { try SystemAddress("https://[2001:db8::1]:\(port)", system: "a") }
        }
        #expect(try SystemAddress("https://192.0.2.1:65535/x", system: "a").port == 65_535)
        #expect(try SystemAddress("https://[2001:db8::1]", system: "a").port == 443)
    }

    @Test("SY-1 an address has no usual port of its scheme, because the header that a signature contains has none")
    func usualPort() throws {
        let hosts = [
            ("https://s3.example:443/x", "s3.example"), ("https://S3.example:80", "s3.example:80"),
            ("https://[2001:db8::443]:443", "[2001:db8::443]"), ("https://[2001:db8::443]", "[2001:db8::443]"),
            ("http://localhost:80/", "localhost"), ("http://localhost:443", "localhost:443"),
        ]
        for (text, host) in hosts { #expect(try SystemAddress(text, system: "a").host == host, "\(text)") }
        #expect(try SystemAddress("https://s3.example:443", system: "a").port == 443)
        for none in ["https://:443", "https://:8443/x", "https://[]:443"] {
            #expect(throws: FarewellError.self, "\(none)") { try SystemAddress(none, system: "a") }
        }
    }

    @Test(
        "a cursor damaged in storage is refused before any call",
        arguments: [
            ("s3", #"{"name":-1}"#), ("dynamodb", #"{"name":-1}"#), ("firestore", #"{"name":-1}"#),
            ("firebase-storage", #"{"name":-1,"held":0}"#), ("firebase-storage", #"{"name":0,"held":\#(Int.max)}"#),
            ("firebase-storage", #"{"name":0,"held":-1}"#), ("stripe", #"{"number":-1}"#),
            ("stripe", #"{"number":0,"job":{"id":"j","seen":0,"questions":\#(Int.max)}}"#),
        ])
    func cursors(_ kind: String, _ cursor: String) async throws {
        let service = OddService(text: "{}")
        let connector = try Self.connector(kind, service)
        await #expect(throws: ConnectorFault.garbled(kind, "the cursor is not from Farewell")) {
            try await connector.erase(.init(key: "k", names: ["ada", "bob"], cursor: cursor))
        }
        #expect(service.calls == 0)
    }

    @Test("a count larger than a page, or a negative one, is refused", arguments: [Int64.max, Int64(Int32.max) + 1, -1])
    func counts(_ count: Int64) async throws {
        let connector = try Self.connector("dynamodb", OddService(text: #"{"Count":\#(count)}"#))
        await #expect(throws: ConnectorFault.garbled("dynamodb", "no answer to a query")) {
            try await connector.count(.init(key: "k", names: ["ada", "bob"]))
        }
    }

    private static func connector(_ kind: String, _ service: OddService) throws -> any Connector {
        let settings: [String: [String: String]] = [
            "s3": ["region": "eu-west-1", "bucket": "b", "prefix": "{person}/"],
            "dynamodb": ["region": "eu-west-1", "table": "t", "key": "user_id"],
            "firestore": ["project": "p", "path": "users/{person}"],
            "firebase-storage": ["bucket": "b", "prefix": "{person}/"], "stripe": ["redact": "job"],
        ]
        var system = SystemPlan(name: kind, kind: kind)
        system.settings = settings[kind] ?? [:]
        if kind == "stripe" { system.secrets = ["key": .environment("KEY")] }
        let plan = Plan(subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: [system])
        let world = ConnectorWorld.hurried(
            service, environment: ["KEY": "k", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "s"])
        return try #require(try ConnectorKinds.connectors(of: plan, world: world)[kind])
    }
}

/// Describes a table, and answers everything else with the same words.
private final class OddService: HTTPSending {
    private let text: String
    private let asked = Guarded(0)
    var calls: Int { asked.withLock { $0 } }

    init(text: String) { self.text = text }

    private static let table =
        #"{"Table":{"KeySchema":[{"AttributeName":"user_id"}],"AttributeDefinitions":[{"AttributeName":"user_id","AttributeType":"S"}]}}"#

    func send(_ call: SystemCall) async throws -> SystemReply {
        asked.withLock { $0 += 1 }
        let isDescription = call.headers.contains { $0.value.hasSuffix("DescribeTable") }
        return SystemReply(
            status: 200, headers: ["content-type": "application/x-amz-json-1.0"],
            body: Array((isDescription ? Self.table : text).utf8))
    }

    func close() async throws {}
}
