// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("The Realtime Database's limit of a write")
struct RealtimeDatabaseLimitTests {
    @Test("SY-3 a deletion is refused, and split, before the database would need more time for it than a call has")
    func shorterThanACall() async throws {
        // Deletions of the whole are refused; of its two children they are not.
        let service = AnsweringService { call in
            guard call.method == "DELETE" else { return .json(200, #"{"a":true,"b":true}"#) }
            let isWhole = call.encodedPath.hasSuffix("/users/u1.json")
            return isWhole ? .json(400, #"{"error":"The write takes longer than writeSizeLimit allows."}"#) : .json(200, "null")
        }
        let settings = ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"]
        let connector = try RealtimeDatabaseConnector(
            SystemPlan(name: "it", kind: "realtime-database", settings: settings),
            world: .hurried(service, environment: ["FIREBASE_DATABASE_EMULATOR_HOST": "127.0.0.1:1"]))
        #expect(try await connector.erase(.init(key: "k", names: ["u1"])) == .erased(2))
        let deletions = service.sent.filter { $0.method == "DELETE" }
        #expect(deletions.map { $0.encodedPath.hasSuffix("/u1/a.json") || $0.encodedPath.hasSuffix("/u1/b.json") } == [false, true, true])
        // Ten seconds; `medium` is thirty, and a call ends after twenty (`ConnectorWorld.live`).
        #expect(Set(deletions.map(Self.limit)) == ["small"])
    }

    private static func limit(_ call: SystemCall) -> String? { call.query.first { $0.name == "writeSizeLimit" }?.value }

    @Test("SY-3 a place with more keys than a list may have is deleted as a whole, although that may take longer than a call")
    func tooManyKeys() async throws {
        let service = AnsweringService { call in
            guard call.method == "DELETE" else {
                return .json(200, "{" + String(repeating: " ", count: 17 << 20) + "}")
            }
            return Self.limit(call) == "small" ? .json(400, #"{"error":"It takes too long."}"#) : .json(200, "null")
        }
        let connector = try service.emulated(
            "realtime-database", ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"])
        #expect(try await connector.erase(.init(key: "k", names: ["u1"])) == .erased(1))
        #expect(service.sent.filter { $0.method == "DELETE" }.map(Self.limit) == ["small", "medium"])
    }
}
