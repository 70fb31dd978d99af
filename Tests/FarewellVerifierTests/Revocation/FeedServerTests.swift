// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import Foundation
import Logging
import Testing

@testable import FarewellVerifier

@Suite("The feed of revocations over HTTP")
struct FeedServerTests {
    static let head = Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".utf8)

    private func entry(_ cursor: Int, _ trial: Trial, at second: Int64 = Trial.second) throws -> [UInt8] {
        let issuer = try #require(trial.claims["iss"]?.string)
        let session = try #require(trial.claims["session_id"]?.string)
        let data = #"{"cursor":\#(cursor),"issuer":"\#(issuer)","session_id":"\#(session)","subject":null,"revoked_at":\#(second)}"#
        return Array("id: \(cursor)\ndata: \(data)\n\n".utf8)
    }

    @Test("SE-9 a token that was valid is refused once its session is in the feed, even from memory")
    func revoked() async throws {
        let trial = try #require(Trial.all().first { $0.testDescription == "Farewell, ES256" })
        let (pieces, feed) = AsyncStream.makeStream(of: [UInt8].self)
        feed.yield(Self.head + Array(": welcome\n\nevent: current\ndata: {}\n\n".utf8))
        try await LocalServer.with({ _ in .stream(pieces) }) { server in
            let client = OwnHTTPClient()
            let list = RevocationList(retention: .seconds(86_400), environment: ManualTime().environment)
            let streaming = try HTTPRevocationStreaming(
                address: "http://127.0.0.1:\(server.port)/v1/revocations", bearer: "the-key", client: { try client.client() })
            let follower = RevocationFollower(streaming, into: list, environment: ManualTime().environment)
            let running = Task { await follower.run() }
            let verifier = try trial.verifier(revocations: list)
            let token = try trial.token()
            try await eventually { follower.freshness.state == .following }
            _ = try await verifier.verify(token)
            _ = try await verifier.verify(token)
            let head = try #require(server.requests.first).lowercased()
            #expect(head.contains("authorization: bearer the-key") && !head.contains("last-event-id"))
            feed.yield(try entry(1, trial))
            try await eventually { follower.freshness.cursor == "1" }
            await #expect(throws: TokenRefusal.revoked) { try await verifier.verify(token) }
            #expect(verifier.count.accepted == 2 && verifier.count[.revoked] == 1)
            feed.finish()
            running.cancel()
            await running.value
            try await client.close()
        }
    }

    @Test(
        "a response that is not an event stream is refused",
        arguments: [
            LocalServer.Answer.text(200, "{}"), .text(401, "{}"), .text(302, "", fields: "Location: http://127.0.0.1:9/\r\n"),
        ])
    func noStream(answer: LocalServer.Answer) async throws {
        try await LocalServer.with({ _ in answer }) { server in
            let client = OwnHTTPClient()
            let streaming = try HTTPRevocationStreaming(
                address: "http://127.0.0.1:\(server.port)/", bearer: nil, client: { try client.client() })
            await #expect(throws: RevocationFeedRefusal.self) { try await streaming.follow(after: "7") { _ in } }
            #expect(server.requests.first?.lowercased().contains("last-event-id: 7") == true)
            try await client.close()
        }
    }

    @Test("a service follows the feed and fetches keys without a call, and stops when it is cancelled")
    func service() async throws {
        let trial = try #require(Trial.all().first { $0.testDescription == "Farewell, EdDSA" })
        let now = Int64(LiveNow.seconds)
        let claims = trial.claims.merging(["iat": .integer(now - 5), "exp": .integer(now + 600)]) { $1 }
        let token = try trial.token(trial.header, claims)
        let keys = String(decoding: ForgedKey.set([trial.key.jwk()]), as: UTF8.self)
        let current = Array("event: current\ndata: {}\n\n".utf8)
        let bytes = try Self.head + entry(9, trial, at: now) + current
        let (pieces, feed) = AsyncStream.makeStream(of: [UInt8].self)
        try await LocalServer.with({ $0.contains("jwks") ? .text(200, keys) : .stream(pieces) }) { server in
            let address = "http://127.0.0.1:\(server.port)"
            let service = try VerifierService(
                trusting: [trial.trust(.published(at: "\(address)/jwks.json", for: [.edDSA]))],
                following: .init("\(address)/v1/revocations"),
                settings: VerifierSettings(keys: KeySetPolicy(timeout: .seconds(120))),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let running = Task { try await service.run() }
            await #expect(throws: TokenRefusal.revocationsUnknown) { try await service.verifier.verify(token) }
            feed.yield(bytes)
            try await eventually { service.freshness?.state == .following }
            #expect(service.freshness?.cursor == "9")
            await #expect(throws: TokenRefusal.revoked) { try await service.verifier.verify(token) }
            feed.finish()
            running.cancel()
            try await running.value
            await #expect(throws: TokenRefusal.self) { try await service.verifier.verify(trial.token()) }
        }
    }

    enum LiveNow { static var seconds: Double { Double(time(nil)) } }
}
