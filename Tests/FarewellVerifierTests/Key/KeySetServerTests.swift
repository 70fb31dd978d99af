// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("Key sets from an unreliable server")
struct KeySetServerTests {
    static let trial = Result { try #require(Trial.all().first { $0.testDescription == "Farewell, ES256" }) }

    /// A verifier that asks `server` for keys, in real time.
    private static func verifier(
        _ trial: Trial, _ port: Int, timeToLive: Duration = .seconds(300), timeout: Duration = .seconds(60),
        _ use: (TokenVerifier) async throws -> Void
    ) async throws {
        let client = OwnHTTPClient()
        var environment = ManualTime().environment
        let clock = ContinuousClock()
        let start = clock.now
        environment.uptime = { clock.now - start }
        environment.sleep = { try await clock.sleep(for: $0) }
        let policy = KeySetPolicy(timeToLive: timeToLive, interval: .zero, timeout: timeout)
        let verifier = try TokenVerifier(
            trusting: [trial.trust(.published(at: "http://127.0.0.1:\(port)/jwks.json", for: [.es256]))],
            settings: VerifierSettings(keys: policy), fetching: HTTPKeySetFetching(client: { try client.client() }),
            environment: environment)
        do {
            try await use(verifier)
        } catch {
            try await client.close()
            throw error
        }
        try await client.close()
    }

    static let illnesses: [(String, LocalServer.Answer)] = [
        ("an error", .text(500, "{}")),
        ("not found", .text(404, "{\"keys\":[]}")),
        ("no content", .bytes(Array("HTTP/1.1 204 X\r\n\r\n".utf8))),
        ("a redirect", .text(302, "", fields: "Location: http://127.0.0.1:9/\r\n")),
        ("a permanent redirect", .text(308, "", fields: "Location: http://127.0.0.1:9/\r\n")),
        ("a page", .text(200, "<html>")),
        ("ten megabytes", .text(200, String(repeating: " ", count: 10 << 20))),
        ("ten megabytes promised", .bytes(Array("HTTP/1.1 200 X\r\nContent-Length: 10485760\r\n\r\n{".utf8))),
        ("a slow drip", .drip(Array("HTTP/1.1 200 X\r\nContent-Length: 4000\r\n\r\n{".utf8))),
        ("a drip without end", .drip(Array("HTTP/1.1 200 X\r\n\r\n{".utf8))),
        ("a drip in the head", .drip(Array("HTTP/1.1 200 X\r\nX: ".utf8))),
        ("silence", .nothing),
        ("no HTTP", .bytes(Array("SSH-2.0-x\r\n".utf8))),
        ("an end in the middle", .bytes(Array("HTTP/1.1 200 X\r\nContent-Length: 4000\r\n\r\n{\"keys\":[".utf8))),
        ("nothing at all", .bytes([])),
    ]

    @Test("Item 12: with a failing server a token gets no verdict, within a limited time", arguments: illnesses.indices)
    func ill(which: Int) async throws {
        let trial = try Self.trial.get()
        let (name, answer) = Self.illnesses[which]
        try await LocalServer.with({ _ in answer }) { server in
            try await Self.verifier(trial, server.port, timeout: .milliseconds(500)) { verifier in
                let clock = ContinuousClock()
                let took = await clock.measure {
                    await #expect(throws: TokenRefusal.keysUnavailable, "\(name)") { try await verifier.verify(trial.token()) }
                }
                // Half a second is the time limit; the rest is for a machine that is busy with other tests.
                #expect(took < .seconds(120), "\(name)")
                #expect(server.connections <= 1, "\(name)")
            }
        }
    }

    @Test("Item 12: a redirect is not followed, wherever it leads")
    func redirect() async throws {
        let trial = try Self.trial.get()
        let keys = String(decoding: ForgedKey.set([trial.key.jwk()]), as: UTF8.self)
        try await LocalServer.with({ _ in .text(200, keys) }) { elsewhere in
            let field = "Location: http://127.0.0.1:\(elsewhere.port)/jwks.json\r\n"
            try await LocalServer.with({ _ in .text(302, keys, fields: field) }) { server in
                try await Self.verifier(trial, server.port) { verifier in
                    await #expect(throws: TokenRefusal.keysUnavailable) { try await verifier.verify(trial.token()) }
                }
            }
            #expect(elsewhere.connections == 0)
        }
    }

    @Test("Item 13: over HTTP, a rotated key is found and a removed one refused; a failing server removes no key")
    func rotation() async throws {
        let trial = try Self.trial.get()
        let (old, new) = (trial.key, ForgedKey.es256("next"))
        let shelf = Guarded<LocalServer.Answer>(.text(200, String(decoding: ForgedKey.set([old.jwk()]), as: UTF8.self)))
        @Sendable func lay(_ keys: [ForgedKey]) {
            let json = String(decoding: ForgedKey.set(keys.map { $0.jwk() }), as: UTF8.self)
            shelf.withLock { $0 = .text(200, json) }
        }
        try await LocalServer.with({ _ in shelf.withLock { $0 } }) { server in
            try await Self.verifier(trial, server.port, timeToLive: .zero) { verifier in
                let header = try Hostile.json(trial.header.merging(["kid": "next"]) { $1 })
                let newToken = try trial.token(header, Trial.text(trial.claims), by: new)
                _ = try await verifier.verify(trial.token())
                await #expect(throws: TokenRefusal.key) { try await verifier.verify(newToken) }
                lay([old, new])
                _ = try await verifier.verify(newToken)
                _ = try await verifier.verify(trial.token())
                lay([new])
                await #expect(throws: TokenRefusal.key) { try await verifier.verify(trial.token()) }
                shelf.withLock { $0 = .text(500, "{}") }
                _ = try await verifier.verify(newToken)
                #expect(verifier.count.accepted == 4 && verifier.count[.key] == 2)
            }
        }
    }
}
