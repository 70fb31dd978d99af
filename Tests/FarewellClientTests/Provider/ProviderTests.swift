// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Providers")
struct ProviderTests {
    static let date = Date(timeIntervalSince1970: 784_111_777)
    static let root = URL(fileURLWithPath: "/server")
    static let intent = DeletionIntent(key: "key-1", ticket: Token("ticket-1"), serverID: "e1")

    static func session(_ user: String = "u1") -> DeviceSession {
        DeviceSession(
            id: "s1", user: DeviceUser(id: user), accessToken: Token("access-1"), refreshToken: Token("refresh-1"),
            signOutTicket: Token("t1"), expiresAt: date, lifetime: 60)
    }

    /// A token with these claims and no signature.
    static func token(_ claims: String) -> String { "e30.\(Base64URL.text(Array(claims.utf8))).AA" }

    // MARK: Farewell and Supabase

    @Test("SE-10 Farewell's answers are read: expiry by the server's clock, the session's name, the ticket")
    func farewellSignIn() async throws {
        let access = Self.token(#"{"sub":"u1","session_id":"s9","exp":5}"#)
        let transport = ScriptedTransport([
            (
                200,
                #"{"access_token":"\#(access)","refresh_token":"r","expires_in":90,"#
                    + #""sign_out_ticket":"t","user":{"id":"u1","email":"a@b.co"}}"#
            )
        ])
        let provider = FarewellProvider(Self.root, apiKey: "anon", transport: transport)
        let answer = try await provider.signIn(email: "a@b.co", password: Token("secret"))
        #expect(answer.serverTime == Self.date && answer.value.expiresAt == Self.date.addingTimeInterval(90))
        #expect(answer.value.id == "s9" && answer.value.user == DeviceUser(id: "u1", email: "a@b.co"))
        #expect(answer.value.signOutTicket == Token("t") && answer.value.lifetime == 90)
        let request = try #require(transport.last)
        #expect(request.url.path().hasSuffix("/auth/v1/token") && request.url.query() == "grant_type=password")
        #expect(request.fields["apikey"] == "anon" && request.fields["X-Supabase-Api-Version"] == "2024-01-01")
        #expect(transport.lastBody?["password"]?.string == "secret")
    }

    @Test("C14 SE-10 a session that its provider does not name has its own name, also in the same second as another one")
    func unnamedSessions() async throws {
        let access = Self.token(#"{"sub":"u1"}"#)
        var names: Set<String> = []
        for refresh in ["r-first", "r-second"] {
            let answers = [
                #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","user":{"id":"u1"}}"#,
                #"{"AuthenticationResult":{"AccessToken":"\#(access)","RefreshToken":"\#(refresh)","ExpiresIn":300}}"#,
                #"{"localId":"u1","idToken":"i","refreshToken":"\#(refresh)","expiresIn":"3600"}"#,
            ]
            let transport = ScriptedTransport(answers.map { (200, $0) })
            let (user, secret) = ("a@b.co", Token("secret"))
            let sessions = [
                try await FarewellProvider(Self.root, transport: transport).signIn(email: user, password: secret),
                try await CognitoProvider(Self.root, clientID: "c", transport: transport).signIn(username: user, password: secret),
                try await FirebaseProvider(apiKey: "k", transport: transport).signIn(email: user, password: secret),
            ].map(\.value)
            #expect(Set(sessions.map(\.id)).count == 1 && sessions.allSatisfy { !$0.id.contains(refresh) && $0.id != "u1" })
            names.formUnion(sessions.map(\.id))
        }
        #expect(names.count == 2)
    }

    @Test("SE-10 an identity token carries its nonce and Apple's code, and the session keeps Apple's user identifier")
    func identityToken() async throws {
        let transport = ScriptedTransport([(200, #"{"access_token":"a","refresh_token":"r","user":{"id":"u1","email":""}}"#)])
        let provider = FarewellProvider(Self.root, transport: transport)
        let answer = try await provider.signIn(
            identityToken: Token("id"), from: "apple", nonce: "n", authorizationCode: Token("c"), appleUserID: "apple-1")
        #expect(answer.value.user == DeviceUser(id: "u1", appleUserID: "apple-1") && answer.value.signOutTicket == nil)
        #expect(provider.revocation(of: answer.value, scope: .local) == nil, "a Supabase server has no tickets")
        #expect(
            transport.lastBody
                == .object([
                    "id_token": "id", "provider": "apple", "nonce": "n", "authorization_code": "c",
                ]))
    }

    @Test("SE-6 a renewal carries its nonce, and the client rejects an answer about another user")
    func farewellRenewal() async throws {
        let transport = ScriptedTransport([
            (200, #"{"access_token":"a2","refresh_token":"r2","expires_in":60,"user":{"id":"u1"}}"#),
            (200, #"{"access_token":"a3","refresh_token":"r3","expires_in":60,"user":{"id":"other"}}"#),
            (200, "<html>Welcome to the hotel</html>"), (200, "{}"),
        ])
        let provider = FarewellProvider(Self.root, transport: transport)
        let answer = try await provider.renew(Self.session(), nonce: "nonce-1")
        #expect(answer.value.accessToken == Token("a2") && answer.value.signOutTicket == Token("t1"))
        #expect(transport.last?.fields["X-Farewell-Refresh-Nonce"] == "nonce-1")
        let kinds = ["refused", "unavailable", "unavailable"]
        for kind in kinds {
            #expect(
                await failure { () async throws(ProviderFailure) in try await provider.renew(Self.session(), nonce: "n") }?.kind == kind)
        }
    }

    @Test(
        "SE-5 C5: the meaning of each refusal of the contract, in both of its forms",
        arguments: [
            (400, "refresh_token_not_found", "ended refused", "unauthorised"),
            (400, "refresh_token_already_used", "ended stolen-token", "unauthorised"),
            (400, "session_expired", "ended expired", "unauthorised"), (400, "session_not_found", "ended refused", "unauthorised"),
            (400, "user_not_found", "ended account-deleted", "unauthorised"), (400, "validation_failed", "ended refused", "refused"),
            (400, "something_new", "unavailable", "refused"), (401, "no_authorization", "unavailable", "unauthorised"),
            (403, "bad_jwt", "unavailable", "unauthorised"), (403, "session_not_found", "ended refused", "unauthorised"),
            (403, "not_admin", "unavailable", "forbidden"), (403, "erasure.sign-in-stale", "unavailable", "recent sign-in"),
            (404, "not_found", "unavailable", "refused"), (409, "conflict", "unavailable", "unavailable"),
            (429, "over_request_rate_limit", "unavailable", "unavailable"), (500, "unexpected_failure", "unavailable", "unavailable"),
            (503, "overloaded", "unavailable", "unavailable"), (302, "", "unavailable", "unavailable"),
        ])
    func refusals(_ status: Int, _ code: String, _ renewal: String, _ bearer: String) {
        for body in [#"{"code":"\#(code)","message":"m"}"#, #"{"code":\#(status),"error_code":"\#(code)","msg":"m"}"#] {
            let refusal = FarewellRefusal(HTTPExchange.Answer(status: status, body: Data(body.utf8)))
            #expect(refusal.failure(at: .renewal).kind == renewal, "\(body)")
            #expect(refusal.failure(at: .bearer).kind == bearer, "\(body)")
        }
    }

    @Test("C17: the server's sentence shows how a session ended", arguments: SessionEnding.allCases)
    func hints(_ ending: SessionEnding) {
        let body = #"{"code":"refresh_token_not_found","message":"m","hint":"\#(ending.sentence)"}"#
        let refusal = FarewellRefusal(HTTPExchange.Answer(status: 400, body: Data(body.utf8)))
        #expect(refusal.failure(at: .renewal) == .ended(SignOutReason(ending)))
    }

    @Test("the client shows a server's error code only when the code is a plain name")
    func hostileCode() {
        for code in ["anna@example.org", "a b", String(repeating: "a", count: 65), "secret\\ntoken"] {
            let refusal = FarewellRefusal(HTTPExchange.Answer(status: 418, body: Data(#"{"code":"\#(code)"}"#.utf8)))
            for question in FarewellRefusal.Question.allCases { #expect(!"\(refusal.failure(at: question).error)".contains(code)) }
        }
    }

    @Test("SV-9 a deletion request carries its key, a status request carries its ticket, and the client tells their answers apart")
    func farewellDeletion() async throws {
        let transport = ScriptedTransport([
            (202, #"{"id":"e1","state":"grace","grace_until":"2026-11-21T17:00:00.5Z"}"#), (200, #"{"id":"e1","state":"running"}"#),
            (200, #"{"id":"e1","state":"done"}"#), (200, #"{"id":"e1","state":"cancelled"}"#),
            (404, #"{"code":"erasure.not-found"}"#), (404, "<html>no such page</html>"), (403, "{}"), (200, "{}"),
            (409, #"{"code":409,"error_code":"erasure.cancelled"}"#), (409, #"{"code":"conflict"}"#),
        ])
        let provider = FarewellProvider(Self.root, transport: transport)
        let first = try await provider.requestDeletion(of: Self.session(), Self.intent)
        #expect(first.progress?.graceUntil != nil && first.progress?.id == "e1")
        #expect(transport.last?.fields["Idempotency-Key"] == "key-1" && transport.lastBody?["ticket"]?.string == "ticket-1")
        #expect(try await provider.deletionStatus(Self.intent) == .underway(DeletionProgress(id: "e1", state: "running")))
        #expect(transport.last?.fields["X-Farewell-Ticket"] == "ticket-1" && transport.last?.fields["Authorization"] == nil)
        #expect(try await provider.deletionStatus(Self.intent) == .done(DeletionProgress(id: "e1", state: "done")))
        #expect(try await provider.deletionStatus(Self.intent) == .cancelled)
        #expect(try await provider.deletionStatus(Self.intent) == .unknown)
        for _ in 0..<3 {
            #expect(
                await failure { () async throws(ProviderFailure) in try await provider.deletionStatus(Self.intent) }?.kind == "unavailable")
        }
        #expect(try await provider.requestDeletion(of: Self.session(), Self.intent) == .cancelled)
        let busy = await failure { () async throws(ProviderFailure) in
            try await provider.requestDeletion(of: Self.session(), Self.intent)
        }
        #expect(busy?.kind == "unavailable")
    }

    // MARK: Cognito

    @Test("SE-10 Cognito: sign-in, renewal, sign-out by scope and deletion, as in its interface")
    func cognito() async throws {
        let access = Self.token(#"{"sub":"u1","origin_jti":"j1"}"#)
        let transport = ScriptedTransport([
            (200, #"{"AuthenticationResult":{"AccessToken":"\#(access)","RefreshToken":"r1","ExpiresIn":300}}"#),
            (200, #"{"AuthenticationResult":{"AccessToken":"a2","ExpiresIn":300}}"#), (200, "{}"), (200, "{}"), (200, "{}"),
        ])
        let provider = CognitoProvider(Self.root, clientID: "client", transport: transport)
        func target() -> String? { transport.last?.fields["X-Amz-Target"]?.split(separator: ".").last.map(String.init) }
        let session = try await provider.signIn(username: "anna", password: Token("secret")).value
        #expect(session.user.id == "u1" && session.id == "j1" && session.expiresAt == Self.date.addingTimeInterval(300))
        #expect(target() == "InitiateAuth" && transport.last?.fields["Content-Type"] == "application/x-amz-json-1.1")
        let renewed = try await provider.renew(session, nonce: "n").value
        #expect(renewed.accessToken == Token("a2") && renewed.refreshToken == Token("r1"), "it does not turn by itself")
        #expect(transport.lastBody?["AuthParameters"]?["REFRESH_TOKEN"]?.string == "r1")
        try await provider.signOut(renewed, scope: .local)
        #expect(target() == "RevokeToken" && transport.lastBody?["Token"]?.string == "r1")
        try await provider.signOut(renewed, scope: .global)
        #expect(target() == "GlobalSignOut" && transport.lastBody?["AccessToken"]?.string == "a2")
        #expect(
            await failure { () async throws(ProviderFailure) in try await provider.signOut(renewed, scope: .others) }?.kind == "refused")
        #expect(try await provider.requestDeletion(of: renewed, Self.intent) == .done(DeletionProgress(state: "done")))
        #expect(target() == "DeleteUser")
        #expect(provider.revocation(of: session, scope: .local) == nil, "a refresh token is not kept for later")
    }

    @Test(
        "SE-10 Cognito: a refused refresh token ends the session, and a temporary error does not",
        arguments: [
            (400, #"{"__type":"NotAuthorizedException"}"#, "ended refused"),
            (400, #"{"__type":"com.amazonaws#UserNotFoundException"}"#, "ended account-deleted"),
            (400, #"{"__type":"TooManyRequestsException"}"#, "unavailable"), (500, #"{"__type":"InternalErrorException"}"#, "unavailable"),
            (503, "<html/>", "unavailable"), (400, "", "unavailable"), (200, "<html/>", "unavailable"),
            (400, #"{"__type":"InvalidParameterException"}"#, "refused"),
        ])
    func cognitoRefusals(_ status: Int, _ body: String, _ kind: String) async {
        let provider = CognitoProvider(Self.root, clientID: "c", transport: ScriptedTransport([(status, body)]))
        #expect(await failure { () async throws(ProviderFailure) in try await provider.renew(Self.session(), nonce: "n") }?.kind == kind)
    }

    // MARK: Firebase

    @Test("SE-10 Firebase: sign-in, renewal, local sign-out and deletion, as in its interface")
    func firebase() async throws {
        let transport = ScriptedTransport([
            (200, #"{"localId":"u1","idToken":"id1","refreshToken":"r1/+","expiresIn":"3600"}"#),
            (200, #"{"user_id":"u1","id_token":"id2","refresh_token":"r2","expires_in":"3600"}"#), (200, "{}"),
            (400, #"{"error":{"message":"USER_NOT_FOUND"}}"#), (400, #"{"error":{"message":"CREDENTIAL_TOO_OLD_LOGIN_AGAIN"}}"#),
        ])
        let provider = FirebaseProvider(apiKey: "key", identity: Self.root, secureToken: Self.root, transport: transport)
        let session = try await provider.signIn(email: "a@b.co", password: Token("secret")).value
        #expect(session.user.id == "u1" && transport.last?.url.query() == "key=key")
        let renewed = try await provider.renew(session, nonce: "n").value
        #expect(renewed.accessToken == Token("id2") && renewed.refreshToken == Token("r2") && renewed.id == session.id)
        #expect(transport.last?.body == Data("grant_type=refresh_token&refresh_token=r1%2F%2B".utf8), "a form")
        try await provider.signOut(renewed, scope: .local)
        #expect(transport.asked.withLock { $0.count } == 2, "no server is called")
        #expect(
            await failure { () async throws(ProviderFailure) in try await provider.signOut(renewed, scope: .global) }?.kind == "refused")
        #expect(try await provider.requestDeletion(of: renewed, Self.intent) == .done(DeletionProgress(state: "done")))
        #expect(try await provider.requestDeletion(of: renewed, Self.intent) == .done(DeletionProgress(state: "done")), "gone before")
        #expect(
            await failure { () async throws(ProviderFailure) in try await provider.requestDeletion(of: renewed, Self.intent) }
                == .recentSignInNeeded)
        #expect(await failure { () async throws(ProviderFailure) in try await provider.deletionStatus(Self.intent) }?.kind == "unavailable")
        #expect(provider.policy == .keepSignedIn)
    }

    @Test(
        "SE-10 Firebase: the answers that end a session and those that do not",
        arguments: [
            (400, "TOKEN_EXPIRED", "ended expired"), (400, "USER_NOT_FOUND", "ended account-deleted"),
            (400, "USER_DISABLED", "ended refused"),
            (400, "INVALID_REFRESH_TOKEN", "ended refused"), (400, "API_KEY_INVALID : pass a good one", "refused"),
            (503, "", "unavailable"),
            (400, "", "unavailable"), (403, "QUOTA_EXCEEDED", "unavailable"),
        ])
    func firebaseRefusals(_ status: Int, _ message: String, _ kind: String) async {
        let transport = ScriptedTransport([(status, #"{"error":{"message":"\#(message)"}}"#)])
        let provider = FirebaseProvider(apiKey: "key", identity: Self.root, secureToken: Self.root, transport: transport)
        #expect(await failure { () async throws(ProviderFailure) in try await provider.renew(Self.session(), nonce: "n") }?.kind == kind)
    }

    @Test("SO-7 SE-10 Firebase with a backend that ends sessions: a ticket at sign-in or later, shown without any token")
    func firebaseEnding() async throws {
        let transport = ScriptedTransport([
            (200, #"{"localId":"u1","idToken":"id1","refreshToken":"r1","expiresIn":"3600"}"#), (503, "{}"),
            (200, #"{"user_id":"u1","id_token":"id2","refresh_token":"r2","expires_in":"3600"}"#),
            (200, #"{"sign_out_ticket":"t1"}"#), (200, "{}"), (503, "{}"), (400, "{}"),
        ])
        let provider = FirebaseProvider(
            apiKey: "key", endingBy: SignOutEndpoint(Self.root, fields: ["apikey": "k"]), policy: .clearAnyway, identity: Self.root,
            secureToken: Self.root, transport: transport)
        let session = try await provider.signIn(email: "a@b.co", password: Token("secret")).value
        #expect(session.signOutTicket == nil && provider.revocation(of: session, scope: .local) == nil, "none was to be had")
        #expect(transport.last?.fields["Authorization"] == "Bearer id1" && transport.last?.body == nil)
        let renewed = try await provider.renew(session, nonce: "n").value
        #expect(renewed.signOutTicket == Token("t1"))
        let order = try #require(provider.revocation(of: renewed, scope: .local))
        #expect(provider.revocation(of: renewed, scope: .others) == nil)
        #expect(provider.revocation(ofUnused: renewed) == nil, "it would end the session that replaces this one as well")
        try await provider.deliver(order)
        #expect(transport.last?.body == Data(#"{"ticket":"t1"}"#.utf8) && transport.last?.fields["apikey"] == "k")
        #expect(transport.last?.fields["Authorization"] == nil)
        #expect(await failure { () async throws(ProviderFailure) in try await provider.deliver(order) }?.kind == "unavailable")
        #expect(
            await failure { () async throws(ProviderFailure) in try await provider.signOut(renewed, scope: .global) }?.kind == "refused")
        #expect(transport.asked.withLock { $0.count } == 7)
        #expect(
            await failure { () async throws(ProviderFailure) in try await provider.signOut(renewed, scope: .others) }?.kind == "refused")
        #expect(transport.asked.withLock { $0.count } == 7, "no server was called")
    }

    // MARK: Lives of tokens

    @Test(
        "a token whose lifetime is negative, longer than a year or not a number is refused",
        arguments: [#""inf""#, #""-inf""#, #""nan""#, #""-1""#, #""1e300""#, #""soon""#, "-1", "9223372036854775807", "1e300", "true"])
    func absurdLives(_ life: String) async {
        let access = Self.token(#"{"sub":"u1"}"#)
        let firebase = FirebaseProvider(
            apiKey: "key", identity: Self.root, secureToken: Self.root,
            transport: ScriptedTransport([
                (200, #"{"localId":"u1","idToken":"i","refreshToken":"r","expiresIn":\#(life)}"#),
                (200, #"{"user_id":"u1","id_token":"i","refresh_token":"r","expires_in":\#(life)}"#),
            ]))
        let cognito = CognitoProvider(
            Self.root, clientID: "c",
            transport: ScriptedTransport(
                Array(
                    repeating: (
                        200, #"{"AuthenticationResult":{"AccessToken":"\#(access)","RefreshToken":"r","ExpiresIn":\#(life)}}"#
                    ), count: 2)))
        let farewell = FarewellProvider(
            Self.root,
            transport: ScriptedTransport([(200, #"{"access_token":"\#(access)","refresh_token":"r","expires_in":\#(life)}"#)]))
        let failures = [
            await failure { () async throws(ProviderFailure) in
                try await firebase.signIn(email: "a@b.co", password: Token("secret"))
            },
            await failure { () async throws(ProviderFailure) in try await firebase.renew(Self.session(), nonce: "n") },
            await failure { () async throws(ProviderFailure) in
                try await cognito.signIn(username: "anna", password: Token("secret"))
            },
            await failure { () async throws(ProviderFailure) in try await cognito.renew(Self.session(), nonce: "n") },
            await failure { () async throws(ProviderFailure) in try await farewell.renew(Self.session(), nonce: "n") },
        ]
        #expect(failures.allSatisfy { $0?.error.code == "device.odd-answer" }, "\(failures)")
    }

    // MARK: An app's own endpoint

    @Test(
        "CF-5 an endpoint's answers: deleted, sign-in required, forbidden, results per system, temporarily unavailable",
        arguments: [
            (200, #"{"success":true}"#, nil), (200, #"{"data":{"success":true}}"#, nil), (401, "{}", "unauthorised"),
            (403, "{}", "forbidden"),
            (500, #"{"success":false,"details":{"cognito":true,"stripe":false,"dynamodb_x":false,"s3-2":false,"a b":false}}"#, "refused"),
            (500, "<html/>", "unavailable"), (503, "{}", "unavailable"), (429, "{}", "unavailable"), (404, "{}", "refused"),
            (200, #"{"success":false}"#, "unavailable"), (200, " \n<!doctype html><title>Welcome</title>", "unavailable"),
            (202, "<html/>", "unavailable"), (204, "", nil), (200, "deleted", nil),
        ] as [(Int, String, String?)])
    func endpoint(_ status: Int, _ body: String, _ kind: String?) async {
        let transport = ScriptedTransport([(status, body)])
        let provider = CognitoProvider(
            Self.root, clientID: "c", deletingBy: DeletionEndpoint("DELETE", Self.root, fields: ["apikey": "k"]), transport: transport)
        let found = await failure { () async throws(ProviderFailure) in try await provider.requestDeletion(of: Self.session(), Self.intent)
        }
        #expect(found?.kind == kind)
        if body.contains("details") {
            #expect(found?.error.message.contains("dynamodb_x, s3-2, stripe not yet") == true && found?.error.family == .tryAgain)
        }
        #expect(transport.last?.fields["Authorization"] == "Bearer access-1" && transport.last?.fields["Idempotency-Key"] == "key-1")
    }

    @Test("SB-4 the client separates a function that demands a new sign-in from one that refuses, and from an unreachable one")
    func staleSignIn() async throws {
        let stale = #"{"error":{"code":"erasure.sign-in-stale","message":"Sign in again.","hint":"…"}}"#
        let unreachable = #"{"error":{"code":"unreachable","message":"Try again."}}"#
        for (status, body, kind) in [(403, stale, "recent sign-in"), (503, unreachable, "unavailable"), (504, unreachable, "unavailable")] {
            let provider = CognitoProvider(
                Self.root, clientID: "c", deletingBy: DeletionEndpoint("POST", Self.root), transport: ScriptedTransport([(status, body)]))
            let found = await failure { () async throws(ProviderFailure) in
                try await provider.requestDeletion(of: Self.session(), Self.intent)
            }
            #expect(found?.kind == kind, "\(status)")
        }
    }

    @Test(
        "the answer of an endpoint that will delete later differs from that of one that has deleted",
        arguments: [
            (#"{"success":true,"message":"m","state":"grace","grace_until":"2026-11-21T17:00:00.000Z","deleted":{"rows":false}}"#, "grace"),
            (#"{"data":{"success":true,"message":"m","state":"running"}}"#, "running"), ("", "accepted"),
        ])
    func later(_ body: String, _ state: String) async throws {
        let provider = CognitoProvider(
            Self.root, clientID: "c", deletingBy: DeletionEndpoint("DELETE", Self.root), transport: ScriptedTransport([(202, body)]))
        let answer = try await provider.requestDeletion(of: Self.session(), Self.intent)
        let until = state == "grace" ? Date(timeIntervalSince1970: 1_795_280_400) : nil
        #expect(answer == .underway(DeletionProgress(state: state, graceUntil: until)))
    }
}
