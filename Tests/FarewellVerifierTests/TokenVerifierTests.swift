// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("A verifier's memory, settings and issuers")
struct TokenVerifierTests {
    static let trial = Result { try #require(Trial.all().first { $0.testDescription == "Farewell, ES256" }) }
    private let time = ManualTime()

    private func verifier(
        _ settings: VerifierSettings = VerifierSettings(), revocations: RevocationList? = nil, shelf: any KeySetFetching
    ) throws -> TokenVerifier {
        let trial = try Self.trial.get()
        return try TokenVerifier(
            trusting: [trial.trust(.published(at: "https://auth.example.org/keys", for: [.es256]))], settings: settings,
            revocations: revocations, fetching: shelf, environment: time.environment)
    }

    @Test("Item 10: a remembered token expires at its stated time, within the clock tolerance")
    func expiry() async throws {
        let trial = try Self.trial.get()
        let verifier = try verifier(shelf: KeyShelf([trial.key]))
        let token = try trial.token()
        for _ in 0..<3 { _ = try await verifier.verify(token) }
        time.advance(by: .seconds(629))
        _ = try await verifier.verify(token)
        time.advance(by: .seconds(1))
        await #expect(throws: TokenRefusal.time) { try await verifier.verify(token) }
        await #expect(throws: TokenRefusal.time) { try await verifier.verify(token) }
    }

    @Test("Item 13: a remembered token is refused when its key is removed, as soon as any other token")
    func removedKey() async throws {
        let trial = try Self.trial.get()
        let shelf = KeyShelf([trial.key])
        let verifier = try verifier(shelf: shelf)
        let token = try trial.token()
        _ = try await verifier.verify(token)
        shelf.lay([.es256("next")])
        time.advance(by: .seconds(299))
        _ = try await verifier.verify(token)
        #expect(shelf.asked == 1)
        time.advance(by: .seconds(1))
        await #expect(throws: TokenRefusal.key) { try await verifier.verify(token) }
        #expect(shelf.asked == 2)
    }

    @Test("the memory is limited, and may be zero")
    func bounded() {
        for capacity in [0, 1, 2, 10] {
            var memory = VerifiedTokenMemory(capacity: capacity)
            let token = VerifiedToken(
                person: IssuedSubject(issuer: "i", subject: "s"), sessionID: nil, issuedAt: Trial.now, expiresAt: Trial.now, claims: [:])
            for number in 0..<100 { memory.remember(.init(token: token, keysSince: nil), as: .of("\(number)")) }
            #expect(memory.count <= max(capacity, 0))
            #expect((memory[.of("99")] != nil) == (capacity >= 2))
            memory.forget(.of("99"))
            #expect(memory[.of("99")] == nil)
        }
    }

    @Test("SE-9 when the feed is lost, tokens are accepted or refused as configured")
    func lostFeed() async throws {
        let trial = try Self.trial.get()
        let list = RevocationList(retention: .seconds(86_400), environment: time.environment)
        let shelf = KeyShelf([trial.key])
        let closed = try verifier(VerifierSettings(lostFeed: .refuse(after: .seconds(60))), revocations: list, shelf: shelf)
        let open = try verifier(VerifierSettings(unreadFeed: .accept), revocations: list, shelf: shelf)
        let usual = try verifier(revocations: list, shelf: shelf)
        let token = try trial.token()
        _ = try await open.verify(token)
        for verifier in [closed, usual] {
            await #expect(throws: TokenRefusal.revocationsUnknown) { try await verifier.verify(token) }
        }
        list.heard()
        _ = try await closed.verify(token)
        time.advance(by: .seconds(60))
        _ = try await closed.verify(token)
        time.advance(by: .seconds(1))
        await #expect(throws: TokenRefusal.revocationsUnknown) { try await closed.verify(token) }
        _ = try await open.verify(token)
        _ = try await usual.verify(token)
        #expect(closed.count[.revocationsUnknown] == 2 && TokenRefusal.revocationsUnknown.family == .tryAgain)
    }

    @Test("Google's two spellings of its name are one issuer")
    func aliases() async throws {
        let trial = try #require(Trial.all().first { $0.testDescription == "Google, RS256" })
        let other = try trial.token(trial.header, trial.claims.merging(["iss": "accounts.google.com"]) { $1 })
        #expect(try await trial.verifier().verify(other).person.issuer == "https://accounts.google.com")
    }

    @Test("an identity token gives its nonce, its address and the time of the user's sign-in")
    func identity() async throws {
        let apple = try #require(Trial.all().first { $0.testDescription == "Apple, RS256" })
        let token = try await apple.verifier().verify(apple.token())
        #expect(token.nonce == "n-1" && token.email?.address == "a@example.org" && token.email?.isVerified == true)
        let fire = try #require(Trial.all().first { $0.testDescription == "Firebase, RS256" })
        #expect(try await fire.verifier().verify(fire.token()).authenticatedAt == Trial.now.addingTimeInterval(-600))
    }

    @Test("RFC 9068 access tokens can be required, and then no other type passes; claims can be required")
    func accessTokens() async throws {
        let key = ForgedKey.es256("k")
        let trial = Trial(
            testDescription: "at+jwt", key: key, claims: Trial.times(["iss": "https://i", "aud": "api", "sub": "s", "tenant": "t1"])
        ) { try .openID("https://i", keys: $0, audiences: ["api"], types: ["at+jwt"], requiring: ["tenant": ["t1", "t2"]]) }
        let verifier = try trial.verifier()
        for type in ["at+jwt", "AT+JWT", "application/at+jwt"] {
            _ = try await verifier.verify(trial.token(trial.header.merging(["typ": .string(type)]) { $1 }, trial.claims))
        }
        await #expect(throws: TokenRefusal.purpose) { try await verifier.verify(trial.token()) }
        await #expect(throws: TokenRefusal.purpose) {
            try await verifier.verify(trial.token(trial.header.filter { $0.key != "typ" }, trial.claims))
        }
        let header = trial.header.merging(["typ": "at+jwt"]) { $1 }
        await #expect(throws: TokenRefusal.purpose) {
            try await verifier.verify(trial.token(header, trial.claims.merging(["tenant": "t3"]) { $1 }))
        }
    }

    @Test(
        "an impossible value is refused before any work begins",
        arguments: [
            "verifier.address", "verifier.algorithms", "verifier.secret", "verifier.key-set", "verifier.issuer", "verifier.audience",
            "verifier.issuers", "verifier.skew",
        ] as [FarewellError.Code])
    func configuration(code: FarewellError.Code) throws {
        let keys = try IssuerKeys.secret(Trial.secret)
        let some = try TrustedIssuer.farewell("https://i", keys: keys)
        let world = ManualTime().environment
        func verifier(_ issuers: [TrustedIssuer], _ settings: VerifierSettings = VerifierSettings()) throws {
            _ = try TokenVerifier(trusting: issuers, settings: settings, fetching: NoNetwork(), environment: world)
        }
        let attempts: [FarewellError.Code: [() throws -> Void]] = [
            "verifier.address": [
                "http://example.org/k", "ftp://x/k", "https://u:p@x/k", "https://x/k#f", "", "https://", "x", "https://x/ k", "file:///k",
                "http://127.0.0.1.evil.example/k",
            ]
            .map { address in { _ = try IssuerKeys.published(at: address, for: [.es256]) } }
                + [{ _ = try VerifierService(trusting: [some], following: .init("http://example.org/"), log: world.log) }],
            "verifier.algorithms": [
                { _ = try IssuerKeys.published(at: "https://x/k", for: []) }, { _ = try IssuerKeys.fixed([], for: [.hs256, .es256]) },
            ],
            "verifier.secret": [
                { _ = try IssuerKeys.secret(String(repeating: "x", count: 31)) }, { _ = try keys.andSecret("") },
            ],
            "verifier.key-set": [
                { _ = try IssuerKeys.fixed(Array("{}".utf8), for: [.es256]) },
                { _ = try IssuerKeys.fixed(ForgedKey.set([]), for: [.es256]) },
            ],
            "verifier.issuer": ["", "https://ü", "a\nb"].map { name in { _ = try TrustedIssuer.openID(name, keys: keys, audiences: ["a"]) }
            },
            "verifier.audience": [
                { _ = try TrustedIssuer.openID("i", keys: keys, audiences: []) }, { _ = try TrustedIssuer.apple(audiences: [""]) },
                { _ = try TrustedIssuer.cognito(pool: "eu-west-1_x", clients: []) }, { _ = try TrustedIssuer.firebase(project: "") },
            ],
            "verifier.issuers": [{ try verifier([]) }, { try verifier([some, some]) }],
            "verifier.skew": [
                { try verifier([some], VerifierSettings(clockSkew: .seconds(61))) },
                { try verifier([some], VerifierSettings(clockSkew: .seconds(-1))) },
            ],
        ]
        for attempt in try #require(attempts[code]) {
            let error = #expect(throws: FarewellError.self) { try attempt() }
            #expect(error?.code == code && error?.family == .yoursToFix && error?.remedy != nil)
        }
    }

    @Test("well-known issuers publish their keys at well-known addresses")
    func addresses() throws {
        func address(_ issuer: TrustedIssuer) -> String? {
            if case .published(let address) = issuer.keys.source { address.absoluteString } else { nil }
        }
        #expect(address(try .farewell("https://a.example/auth/v1")) == "https://a.example/auth/v1/.well-known/jwks.json")
        #expect(address(try .supabase("https://x.supabase.co")) == "https://x.supabase.co/auth/v1/.well-known/jwks.json")
        let cognito = try TrustedIssuer.cognito(pool: "eu-west-1_Abc", clients: ["c"])
        #expect(cognito.name == "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Abc")
        #expect(address(cognito) == cognito.name + "/.well-known/jwks.json")
        for issuer in [try TrustedIssuer.firebase(project: "p"), try .apple(audiences: ["a"]), try .google(audiences: ["g"])] {
            #expect(address(issuer)?.hasPrefix("https://") == true)
        }
    }
}

extension SHA256Digest {
    static func of(_ text: String) -> SHA256Digest { SHA256.hash(data: Array(text.utf8)) }
}
