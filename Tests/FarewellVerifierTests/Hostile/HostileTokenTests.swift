// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("Hostile tokens")
struct HostileTokenTests {
    @Test("SV-6 a valid token of every issuer is accepted, and gives its user", arguments: try Trial.all())
    func good(trial: Trial) async throws {
        let verifier = try trial.verifier()
        let token = try await verifier.verify(trial.token())
        #expect(token.person.issuer == trial.claims["iss"]?.string && token.person.subject == trial.claims["sub"]?.string)
        #expect(token.claims == trial.claims)
        #expect(token.expiresAt == Trial.now.addingTimeInterval(600) && token.issuedAt == Trial.now.addingTimeInterval(-60))
        #expect(verifier.count.accepted == 1 && verifier.count.refused.isEmpty)
    }

    @Test("Items 1 to 15: every hostile token is refused, each for its own reason", arguments: try Trial.all())
    func hostile(trial: Trial) async throws {
        let verifier = try trial.verifier()
        var made = 0
        for hostile in Hostile.all {
            guard let token = try hostile.make(trial) else { continue }
            made += 1
            let refusal = await #expect(throws: TokenRefusal.self, "\(hostile.name) was accepted") { try await verifier.verify(token) }
            #expect(refusal == hostile.reason || isExcused(hostile, trial, refusal), "\(hostile.name): \(String(describing: refusal))")
        }
        #expect(made >= 200)
        #expect(verifier.count.accepted == 0 && verifier.count.refused.values.reduce(0, +) == made)
    }

    /// Two algorithms may be allowed to one issuer, and a secret has no set of keys to look in: then the next check refuses.
    private func isExcused(_ hostile: Hostile, _ trial: Trial, _ refusal: TokenRefusal?) -> Bool {
        trial.testDescription.contains("HS256") && hostile.name.contains("kid") && refusal == .key
    }

    @Test("Item 1: a valid token with any changed byte is refused", arguments: try Trial.all())
    func everyByte(trial: Trial) async throws {
        let verifier = try trial.verifier()
        let good = Array(try trial.token().utf8)
        for place in good.indices {
            var bytes = good
            bytes[place] ^= place.isMultiple(of: 2) ? 1 : 0x20
            let text = String(decoding: bytes, as: UTF8.self)
            await #expect(throws: TokenRefusal.self, "byte \(place) of \(good.count)") { try await verifier.verify(text) }
        }
        #expect(verifier.count.accepted == 0)
    }

    @Test("Item 6: nothing in a token makes the verifier open a connection except to its issuer")
    func noConnection() async throws {
        let trial = try #require(Trial.all().first { $0.testDescription == "Farewell, ES256" })
        let stranger = ForgedKey.es256("mine")
        let (mine, theirs) = (ForgedKey.set([trial.key.jwk()]), ForgedKey.set([stranger.jwk()]))
        try await LocalServer.with({ _ in .text(200, String(decoding: theirs, as: UTF8.self)) }) { evil in
            try await LocalServer.with({ _ in .text(200, String(decoding: mine, as: UTF8.self)) }) { good in
                let client = OwnHTTPClient()
                let verifier = try TokenVerifier(
                    trusting: [trial.trust(.published(at: "http://127.0.0.1:\(good.port)/keys.json", for: [.es256]))],
                    fetching: HTTPKeySetFetching(client: { try client.client() }), environment: ManualTime().environment)
                let address = JSONValue.string("http://127.0.0.1:\(evil.port)/keys.json")
                for member in ["jku", "x5u", "jwk", "x5c", "kid"] {
                    let header = trial.header.merging(["kid": "mine"]) { $1 }.merging([member: address]) { $1 }
                    let token = try trial.token(Hostile.json(header), Trial.text(trial.claims), by: stranger)
                    await #expect(throws: TokenRefusal.key) { try await verifier.verify(token) }
                }
                let claims = try Trial.text(trial.claims.merging(["iss": address]) { $1 })
                await #expect(throws: TokenRefusal.issuer) {
                    try await verifier.verify(trial.token(Hostile.json(trial.header), claims, by: stranger))
                }
                #expect(try await verifier.verify(trial.token()).person.issuer == trial.claims["iss"]?.string)
                try await client.close()
                #expect(good.connections == 1)
            }
            #expect(evil.connections == 0)
        }
    }

    @Test("Item 7: a stranger's own key set makes no trusted issuer, and one issuer's key signs for no other")
    func strangers() async throws {
        let trials = try Trial.all()
        let mine = try #require(trials.first { $0.testDescription == "Farewell, ES256" })
        let theirs = try #require(trials.first { $0.testDescription == "OpenID, ES384" })
        let other = try theirs.trust(.fixed(ForgedKey.set([theirs.key.jwk()]), for: [.es384]))
        let verifier = try mine.verifier(others: [other])
        #expect(try await verifier.verify(mine.token()).person.issuer == "https://auth.example.org/K/auth/v1")
        #expect(try await verifier.verify(theirs.token()).person.issuer == "https://id.example.org/K")
        await #expect(throws: TokenRefusal.algorithm) {
            try await verifier.verify(mine.token(Hostile.json(theirs.header), Trial.text(mine.claims), by: theirs.key))
        }
        let crossed = theirs.header.merging(["alg": "ES256"]) { $1 }
        await #expect(throws: TokenRefusal.key) { try await verifier.verify(mine.token(crossed, mine.claims)) }
    }

    @Test("Item 11: the same address at two issuers is two users")
    func people() async throws {
        let trials = try Trial.all().filter { $0.claims["email"] == "a@example.org" }
        var people: Set<IssuedSubject> = []
        for trial in trials {
            let token = try await trial.verifier().verify(trial.token())
            #expect(token.email?.address == "a@example.org")
            people.insert(token.person)
        }
        #expect(people.count == Set(trials.compactMap { $0.claims["iss"]?.string }).count && people.count > 3)
    }
}
