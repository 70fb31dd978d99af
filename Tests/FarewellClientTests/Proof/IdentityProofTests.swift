// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Proofs of identity before a deletion")
struct IdentityProofTests {
    private static let body = #"{"step_up":"proof-1","action":"request erasure","expires_in":300}"#

    private func session(_ user: DeviceUser, _ world: World) -> DeviceSession {
        DeviceSession(
            id: "s", user: user, accessToken: Token("access"), refreshToken: Token("refresh"),
            expiresAt: world.time.serverNow.addingTimeInterval(3_600), lifetime: 3_600)
    }

    /// A device on which this user is signed in with a provider over these answers.
    private func with(
        _ answers: [(Int, String)], endpoint: DeletionEndpoint? = nil,
        user: DeviceUser = DeviceUser(id: "anna", email: "anna@example.org", appleUserID: "apple-anna"),
        _ use: (FarewellDevice, ScriptedTransport) async throws -> Void
    ) async throws {
        try await World.with { world in
            let transport = ScriptedTransport(answers)
            let address = try #require(URL(string: "https://auth.example.org"))
            let device = try world.device(FarewellProvider(address, deletingBy: endpoint, transport: transport))
            await device.launch()
            let session = session(user, world)
            try await device.signIn { () async throws(ProviderFailure) in ProviderAnswer(session) }
            try await use(device, transport)
        }
    }

    @Test("AP-2 APP-04 a proof by Apple goes to /v1/step-ups with its nonce, and the deletion carries the returned proof, once")
    func apple() async throws {
        let done = #"{"id":"e","state":"done"}"#
        try await with([(200, Self.body), (200, done), (404, "")]) { device, transport in
            let proof = try await device.confirmIdentity(.identityToken(Token("apple-token"), issuer: "apple", nonce: "raw"))
            let asked = try #require(transport.last)
            #expect(asked.method == "POST" && asked.url.path == "/v1/step-ups")
            #expect(asked.fields["Authorization"] == "Bearer access")
            #expect(
                transport.lastBody
                    == .object(["action": "request erasure", "id_token": "apple-token", "provider": "apple", "nonce": "raw"]))
            #expect(proof == Token("proof-1"))
            let result = try await device.deleteAccount(proof: proof)
            #expect(result.isDone)
            let request = try #require(transport.asked.withLock { $0.first { $0.url.path == "/v1/erasures" } })
            #expect(request.fields["X-Farewell-Step-Up"] == "proof-1")
        }
    }

    @Test("AP-2 the proof is stored nowhere: neither in the journal nor in a repeated request after a restart")
    func notStored() async throws {
        try await World.with { world in
            let transport = ScriptedTransport([])
            let address = try #require(URL(string: "https://auth.example.org"))
            let device = try world.device(FarewellProvider(address, transport: transport))
            await device.launch()
            let session = session(DeviceUser(id: "anna"), world)
            try await device.signIn { () async throws(ProviderFailure) in ProviderAnswer(session) }
            #expect(await code { _ = try await device.deleteAccount(proof: Token("canary-proof")) } == "device.offline")
            #expect(transport.asked.withLock { $0.first?.fields["X-Farewell-Step-Up"] } == "canary-proof")
            guard case .deletion(_, let intent)? = try await device.journal.read()?.course else { throw Odd("no journal") }
            #expect(intent.proof == nil)
            let kept = try await device.journal.read()?.encoded()
            #expect(kept?.range(of: Data("canary".utf8)) == nil)
        }
    }

    @Test(
        "APP-04 a wrong proof, another account's proof and an unreachable server give different errors, and nothing changes",
        arguments: [
            (400, #"{"code":"invalid_credentials","message":"Invalid login credentials"}"#, "server.invalid_credentials"),
            (503, "{}", "device.unavailable"), (429, "{}", "device.unavailable"), (200, "{}", "device.odd-answer"),
        ])
    func wrong(_ status: Int, _ body: String, _ expected: String) async throws {
        try await with([(status, body)]) { device, _ in
            #expect(await code { _ = try await device.confirmIdentity(.password(Token("wrong"))) } == expected)
            #expect(await device.standing.session?.user.id == "anna")
        }
    }

    private static func grant(_ user: String) -> String {
        #"{"access_token":"a2","refresh_token":"r2","expires_in":3600,"user":{"id":"\#(user)","email":"anna@example.org"}}"#
    }

    @Test("AP-2 a Supabase server without step-ups: a fresh sign-in of the same user is the proof, and one of another user is refused")
    func withoutStepUps() async throws {
        for proof in [IdentityProof.password(Token("secret")), .identityToken(Token("t"), issuer: "apple", nonce: "n")] {
            try await with([(404, "{}"), (200, Self.grant("anna"))]) { device, transport in
                let confirmed = try await device.confirmIdentity(proof)
                #expect(confirmed == nil)
                #expect(transport.last?.url.path == "/auth/v1/token")
                #expect(await device.standing.session?.accessToken == Token("a2"))
            }
            try await with([(404, "{}"), (200, Self.grant("berta"))]) { device, _ in
                #expect(await code { _ = try await device.confirmIdentity(proof) } == "device.another-person")
                #expect(await device.standing.session?.accessToken == Token("access"))
            }
        }
    }

    @Test("AP-2 a code is mailed to the account's address, and the session from it is the proof")
    func mailedCode() async throws {
        try await with([(200, "{}"), (200, Self.grant("anna"))]) { device, transport in
            try await device.mailIdentityCode()
            #expect(transport.last?.url.path == "/auth/v1/recover" && transport.lastBody == .object(["email": "anna@example.org"]))
            let confirmed = try await device.confirmIdentity(.mailedCode(Token("123456")))
            #expect(confirmed == nil)
            #expect(transport.last?.url.path == "/auth/v1/verify")
            #expect(transport.lastBody == .object(["type": "recovery", "email": "anna@example.org", "token": "123456"]))
        }
        try await with([(403, #"{"code":"otp_expired"}"#)]) { device, _ in
            #expect(await code { _ = try await device.confirmIdentity(.mailedCode(Token("0"))) } == "server.otp_expired")
        }
    }

    @Test(
        "AP-2 the client requests the proofs that the account can give, and no password that the account does not have",
        arguments: [
            (DeviceUser(id: "u", email: "a@example.org"), [.password, .mailedCode]),
            (DeviceUser(id: "u", appleUserID: "a"), [.apple]),
            (DeviceUser(id: "u", email: "a@example.org", appleUserID: "a"), [.apple, .mailedCode]),
            (DeviceUser(id: "u", email: "a@example.org", providers: ["apple"]), [.apple, .mailedCode]),
            (
                DeviceUser(id: "u", email: "a@example.org", appleUserID: "a", providers: ["email", "apple"]),
                [.apple, .password, .mailedCode]
            ),
            (DeviceUser(id: "u", email: "a@example.org", providers: ["google"]), [.mailedCode]),
            (DeviceUser(id: "u"), []),
        ] as [(DeviceUser, [IdentityProof.Kind])])
    func kinds(_ user: DeviceUser, _ kinds: [IdentityProof.Kind]) async throws {
        try await with([], user: user) { device, _ in #expect(await device.identityProofs == kinds) }
    }

    @Test("AP-2 the account's sign-in methods are read at sign-in and kept with the session; older records have none")
    func providers() throws {
        let json = #"{"access_token":"a","refresh_token":"r","user":{"id":"u","app_metadata":{"providers":["apple","email"]}}}"#
        let session = try TokenGrant(HTTPExchange.Answer(status: 200, body: Data(json.utf8))).session(appleUserID: "a").value
        #expect(session.user.providers == ["apple", "email"])
        let record = SessionRecord(generation: 1, session: session)
        #expect(try SessionRecord(decoding: record.encoded()) == record)
        let before = String(decoding: try record.encoded(), as: UTF8.self).replacing(#","providers":["apple","email"]"#, with: "")
            .replacing(#""providers":["apple","email"],"#, with: "")
        #expect(try SessionRecord(decoding: Data(before.utf8)).session?.user.providers == nil)
    }

    @Test("AP-2 each proof by Apple has a fresh nonce, and Apple gets its SHA-256")
    func nonces() throws {
        let nonces = try (0..<50).map { _ in try AppleNonce() }
        #expect(Set(nonces).count == 50 && nonces.allSatisfy { $0.text.utf8.count == 43 })
        for nonce in nonces {
            #expect(nonce.hashed == DeviceCrypto.hash(Data(nonce.text.utf8)).hexadecimal && nonce.hashed.utf8.count == 64)
        }
    }

    @Test("APP-09 a provider that can check no proof says so")
    func unsupported() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn()
            #expect(await device.identityProofs.isEmpty)
            #expect(await code { _ = try await device.confirmIdentity(.password(Token("a"))) } == "device.proof-unsupported")
            #expect(await code { try await device.mailIdentityCode() } == "device.proof-unsupported")
        }
    }

    @Test("APP-09 FarewellProvider deletes by a custom endpoint, with the gateway's key, the user's token and the proof")
    func customEndpoint() async throws {
        let url = try #require(URL(string: "https://project.example.org/functions/v1/delete-account"))
        try await with([(200, #"{"data":{"success":true}}"#)], endpoint: DeletionEndpoint("POST", url)) { device, transport in
            let result = try await device.deleteAccount(proof: Token("proof-1"))
            #expect(result.isDone && result.device.isClean && result.server.receipt == nil)
            let asked = transport.asked.withLock { $0 }
            #expect(asked.map(\.url.path) == ["/functions/v1/delete-account"])
            #expect(asked[0].fields["Authorization"] == "Bearer access" && asked[0].fields["X-Farewell-Step-Up"] == "proof-1")
            #expect(asked[0].fields["Idempotency-Key"]?.isEmpty == false)
        }
        for body in [#"{"code":"erasure.sign-in-stale"}"#, #"{"error_code":"reauthentication_needed"}"#] {
            try await with([(403, body)], endpoint: DeletionEndpoint("POST", url)) { device, _ in
                #expect(await code { _ = try await device.deleteAccount() } == "device.recent-sign-in-needed")
            }
        }
    }
}
