// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellVerifier
import Testing

@Suite("Answers on the wire that attack or fail", .serialized)
struct LiveHTTPSendingTests {
    @Test("F13 an endlessly dripping answer is dropped when its time is over", arguments: ["/drip", "/headers"])
    func drip(_ path: String) async throws {
        let server = try HostileServer.running.get()
        await #expect(throws: SendingFailure.late) { try await server.answer(path, within: .milliseconds(500)) }
    }

    @Test("F13 the connector reads nothing beyond its limit of a ten-megabyte answer, and closes the connection")
    func long() async throws {
        let server = try HostileServer.running.get()
        await #expect(throws: SendingFailure.tooLong) { try await server.answer("/long") }
        await #expect(throws: SendingFailure.tooLong) { try await server.answer("/flood") }
        var sent = -1
        while sent < 0 {
            sent = Int(String(decoding: try await server.answer("/sent").body, as: UTF8.self)) ?? 0
        }
        // Only the buffered part is sent, not the whole gigabyte.
        #expect(sent < 64 << 20, "\(sent)")
    }

    @Test("F10 F13 a truncated answer, or one that is not HTTP, counts as no answer", arguments: ["/half", "/cut", "/garbage"])
    func cut(_ path: String) async throws {
        let server = try HostileServer.running.get()
        await #expect(throws: SendingFailure.cut) { try await server.answer(path) }
    }

    @Test("a connector follows no redirect to another host")
    func elsewhere() async throws {
        let server = try HostileServer.running.get()
        #expect(try await server.answer("/elsewhere").status == 302)
        #expect(try await server.answer("/visits").body == Array("0".utf8))
    }

    @Test(
        "SY-4 an unknown host name, a closed port and an invalid certificate give different errors, each with a remedy"
    )
    func unreachable() async throws {
        // Speaks without protection.
        let plain = try PeerProcess.vendors.get().text("endpoint")
        let secure = String(decoding: try await HostileServer.running.get().answer("/secure").body, as: UTF8.self)
        let cases: [(String, ConnectionFailure, String)] = [
            ("https://no-such-host.invalid", .unresolved, "cannot be resolved"),
            ("http://127.0.0.1:1", .refused, "no server listens"), ("http://localhost:1", .refused, "no server listens"),
            (plain.replacing("http:", with: "https:"), .unprotected, "does not speak TLS"),
            (secure, .untrusted, "not trusted"),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (address, failure, words) in cases {
                group.addTask {
                    let client = OwnHTTPClient(connectTimeout: .seconds(300))
                    let sending = LiveHTTPSending(timeout: .seconds(600), client: client)
                    let call = SystemCall("GET", try SystemAddress(address, system: "it"), "/", permission: "")
                    let took = await ContinuousClock().measure {
                        await #expect(throws: SendingFailure.unconnected(failure), "\(address)") { try await sending.send(call) }
                    }
                    // A client that goes on connecting takes as long as it may: 300 seconds.
                    #expect(failure == .unresolved || took < .seconds(120), "\(address): \(took)")
                    let caller = SystemCaller("it", budget: RateBudget(), world: .hurried(sending))
                    let error = await fault { _ = try await caller.send(call) }
                    #expect(error?.code == "connector.unavailable" && error?.family == .tryAgain, "\(String(describing: error))")
                    #expect(error?.message.contains("system it") == true && error?.message.contains(words) == true)
                    #expect(error?.remedy?.isEmpty == false)
                    try await sending.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
