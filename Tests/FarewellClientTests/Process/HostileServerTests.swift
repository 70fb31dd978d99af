// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import InteropProgram
import Testing

@testable import FarewellClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The client's networking and a hostile server")
struct HostileServerTests {
    private func with(_ use: (URL) async throws -> Void) async throws {
        let server = try InteropProgram("Interop/hostile_answers.py")
        defer { server.stop() }
        try await use(try #require(URL(string: server.word)))
    }

    private func problem(_ transport: any HTTPTransport, _ url: URL) async -> String? {
        await failure { () async throws(ProviderFailure) in try await transport.send(.init("GET", url)) }?.error.code.rawValue
    }

    /// How many redirects were followed.
    private func visits(_ root: URL) async throws -> Int64? {
        try await LiveHTTPTransport(timeout: 60).send(.init("GET", root.appending(path: "visits"))).json?.integer
    }

    @Test(
        "SE-5 an answer that is too large, never complete, cut short or no HTTP is no answer, and says nothing about the session",
        arguments: [
            ("long", "device.odd-answer", 60), ("flood", "device.odd-answer", 60), ("half", "device.offline", 60),
            ("cut", "device.offline", 60), ("garbage", "device.offline", 60), ("drip", "device.offline", 0.1),
            ("headers", "device.offline", 0.1),
        ])
    func noAnswers(_ path: String, _ code: String, _ timeout: Double) async throws {
        try await with { root in
            let transport = LiveHTTPTransport(timeout: timeout)
            let found = await problem(transport, root.appending(path: path))
            #expect(found == code)
        }
    }

    @Test("a download ends when its refusal does not, and when its pieces are not taken")
    func endlessDownloads() async throws {
        try await with { root in
            let transport = LiveHTTPTransport(timeout: 60)
            let full = FarewellError("test.full", .yoursToFix, "The disk is full.")
            for (path, code) in [("refusal", "device.odd-answer"), ("flood", "test.full")] {
                let request = HTTPExchange.Request("GET", root.appending(path: path))
                let found = await failure { () async throws(ProviderFailure) in
                    try await transport.receive(request) { _ in throw full }
                }
                #expect(found?.error.code.rawValue == code)
            }
        }
    }

    @Test("SO-7 a redirect takes no request, with its token or ticket, to another place")
    func redirects() async throws {
        try await with { root in
            for transport in [LiveHTTPTransport(timeout: 60), HandedOverTransport(.ephemeral)] as [any HTTPTransport] {
                let answer = try? await transport.send(.init("GET", root.appending(path: "elsewhere")))
                #expect(answer?.isSuccess != true)
            }
            let visits = try await visits(root)
            #expect(visits == 0)
        }
    }

    @Test("SO-4 a call that is cancelled before or while it is sent ends")
    func cancelled() async throws {
        try await with { root in
            let transport = LiveHTTPTransport(timeout: 60)
            let call = Task { await problem(transport, root.appending(path: "drip")) }
            call.cancel()
            let found = await call.value
            #expect(found == "device.offline")
        }
    }
}
