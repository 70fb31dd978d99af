// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSessions
import FarewellVerifier
import Foundation
import HTTPTypes
import Hummingbird
import Testing

@Suite("Erasures over HTTP")
struct ErasureRouteTests {
    private static let ticket = Base64URL.text([UInt8](repeating: 7, count: 32))

    @Test("SV-9 requested, followed, ended: the ticket gets every answer once account and tokens are gone")
    func whole() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let other = try await mount.person()
            let others = try await mount.rows(of: other)
            let preview = try await mount.ask(.get, "/v1/erasures/preview", token: anna.token)
            #expect(preview.status == 200 && preview.json["erased"] as? Int == 5, "\(preview)")
            let body = #"{"ticket":"\#(Self.ticket)"}"#
            let fields = ["Idempotency-Key": "k1", "Prefer": "wait=60"]
            let done = try await mount.ask(.post, "/v1/erasures", token: anna.token, json: body, fields)
            #expect(done.status == 200 && done.json["state"] as? String == "done", "\(done)")
            #expect(done.json["ticket"] as? String == Self.ticket && done.headers[.preferenceApplied] == "wait=60")
            let id = try #require(done.json["id"] as? String)
            #expect(done.headers[.location] == "/v1/erasures/\(id)")
            #expect(try await mount.rows(of: anna).isEmpty)
            #expect(try await mount.rows(of: other) == others)
            #expect(try await !mount.isAccepted(anna.token))

            // The answer was lost: asked again with a token that no longer works, and without any.
            for token in [anna.token, nil] {
                let again = try await mount.ask(.post, "/v1/erasures", token: token, json: body, fields)
                #expect(again.status == 200 && again.json["id"] as? String == id, "\(again)")
            }
            let mine = ["X-Farewell-Ticket": Self.ticket]
            for path in ["/v1/erasures", "/v1/erasures/\(id)"] {
                let status = try await mount.ask(.get, path, mine)
                #expect(status.status == 200 && status.json["state"] as? String == "done", "\(status)")
                #expect(!status.text.contains(Self.ticket))
            }
            let events = try await mount.ask(.get, "/v1/erasures/\(id)/events", mine)
            #expect(events.status == 200 && events.text.contains("event: erasure\ndata: {") && events.text.contains(#""state":"done""#))
            let receipt = try await mount.ask(.get, "/v1/erasures/\(id)/receipt", mine)
            #expect(receipt.status == 200 && receipt.text.split(separator: ".").count == 3)
            let page = try await mount.ask(.get, "/v1/erasures/\(id)/receipt/page", mine)
            #expect(page.status == 200 && page.text.contains(receipt.text) && page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(![receipt, page].contains { $0.text.contains(anna.id) || $0.text.contains(anna.email) })
            // No other caller learns anything.
            let wrong = ["X-Farewell-Ticket": Base64URL.text([UInt8](repeating: 8, count: 32))]
            for path in ["", "/receipt", "/receipt/page", "/events"] {
                let refused = try await mount.ask(.get, "/v1/erasures/\(id)\(path)", wrong)
                #expect(refused.status == 404 && refused.code == "erasure.not-found", "\(refused)")
                #expect(try await mount.ask(.get, "/v1/erasures/\(id)\(path)", token: other.token).status == 404)
                #expect(try await mount.ask(.get, "/v1/erasures/\(id)\(path)").status == 404)
            }
        }
    }

    @Test("F18 AD-8 a later sign-up with the same address makes a new user, whose data stays")
    func again() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let done = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k", "Prefer": "wait=60"])
            #expect(done.status == 200, "\(done)")
            let answer = try await mount.ask(
                .post, "/auth/v1/signup", json: #"{"email":"\#(anna.email)","password":"\#(ErasureMount.password)"}"#)
            let token = try #require(answer.json["access_token"] as? String, "\(answer)")
            let user = try #require(answer.json["user"] as? [String: Any])
            #expect(user["id"] as? String != anna.id)
            #expect(try await mount.isAccepted(token))
            #expect(try await mount.ask(.get, "/v1/erasures/\(done.json["id"] ?? "")", token: token).status == 404)
        }
    }

    static let deleting: [(method: HTTPRequest.Method, path: String)] = [
        (.post, "/v1/erasures"), (.post, "/functions/v1/delete-account"), (.post, "/functions/v1/delete-user"),
        (.delete, "/me/account"), (.post, "/rest/v1/rpc/delete_auth_user"),
    ]

    @Test("Item 28: an erasure concerns the token's user, whichever user path, query, body and header name")
    func onlyMyself() async throws {
        try await ErasureMount.with { mount in
            let other = try await mount.person()
            let others = try await mount.rows(of: other)
            for (method, path) in Self.deleting {
                let mine = try await mount.person()
                let body = """
                    {"user_id":"\(other.id)","id":"\(other.id)","subject":"\(other.id)","sub":"\(other.id)","userId":"\(other.id)"}
                    """
                let fields = [
                    "Idempotency-Key": "k", "X-User-Id": other.id, "X-Subject": other.id, "apikey": other.id, "Prefer": "wait=60",
                ]
                let named = try await mount.ask(method, path + "/\(other.id)", token: mine.token, json: body, fields)
                #expect([404, 405].contains(named.status), "\(path) \(named)")
                #expect(try await mount.rows(of: mine).count == 5, "\(path)")
                let answer = try await mount.ask(
                    method, path + "?user_id=\(other.id)&sub=\(other.id)", token: mine.token, json: body, fields)
                #expect(answer.status == 200 || answer.status == 204, "\(path) \(answer)")
                #expect(try await mount.rows(of: mine).isEmpty, "\(path)")
                #expect(try await mount.rows(of: other) == others, "\(path)")
                #expect(try await mount.isAccepted(other.token))
            }
            #expect(try await mount.rows(of: other) == others)
        }
    }

    @Test("SV-1 SV-2 SV-3 the sign-in account of a user unknown to the plan is deleted before any answer says deleted")
    func unknown() async throws {
        let elsewhere = ColumnName(TableName("profiles"), "id")
        try await ErasureMount.with(subject: elsewhere) { mount in
            let other = try await mount.person()
            for (method, path) in Self.deleting.dropFirst() {
                let mine = try await mount.person()
                let answer = try await mount.ask(method, path, token: mine.token)
                #expect(answer.status == 200 || answer.status == 204, "\(path) \(answer)")
                #expect(try await !mount.isAccepted(mine.token), "\(path)")
                #expect(try await mount.rows(of: mine).isEmpty, "\(path)")
                let body = #"{"email":"\#(mine.email)","password":"\#(ErasureMount.password)"}"#
                let again = try await mount.ask(.post, "/auth/v1/token?grant_type=password", json: body)
                #expect(again.status == 400 && again.code == "invalid_credentials", "\(path) \(again)")
            }
            #expect(try await mount.isAccepted(other.token))
        }
    }

    @Test("SV-1 SV-2 SV-3 a missing, broken or foreign token gets 401 in each contract's own form, and nothing happens")
    func refused() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let before = try await mount.rows(of: anna)
            let foreign = ErasureMount.token(["iss": "https://elsewhere.example", "sub": anna.id, "exp": 4_000_000_000, "iat": 1])
            let parts = anna.token.split(separator: ".")
            var signature = try #require(Base64URL.bytes(String(parts[2])))
            signature[40] ^= 1
            let forged = "\(parts[0]).\(parts[1]).\(Base64URL.text(signature))"
            for token in [nil, "nonsense", "a.b.c", forged, foreign] {
                for (method, path) in Self.deleting {
                    let answer = try await mount.ask(method, path, token: token, ["Idempotency-Key": "k"])
                    #expect(answer.status == 401, "\(path) \(answer)")
                    #expect(answer.headers[.wwwAuthenticate] == "Bearer")
                    if path == "/me/account" {
                        #expect(answer.text == #"{"error":"Unauthorized - missing user identity"}"#)
                    } else if path.hasPrefix("/functions") {
                        #expect((answer.json["error"] as? [String: String])?["code"]?.isEmpty == false)
                    } else if path.hasPrefix("/rest") {
                        #expect(answer.json["message"] is String && answer.json["code"] is String)
                    }
                }
            }
            #expect(try await mount.rows(of: anna) == before)
            #expect(try await mount.ask(.post, "/v1/erasures", token: anna.token).code == "erasure.key-missing")
            for method in [HTTPRequest.Method.get, .put, .patch] {
                #expect(try await mount.ask(method, "/me/account", token: anna.token).status == 405)
            }
        }
    }

    @Test("Item 29: a sign-in that is not recent requires a proof, which is valid once and only for this act")
    func stale() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            mount.ahead.withLock { $0 = 600 }
            for (method, path) in Self.deleting {
                let answer = try await mount.ask(method, path, token: anna.token, ["Idempotency-Key": "k"])
                #expect(answer.status == 403, "\(path) \(answer)")
                #expect(answer.headers[.wwwAuthenticate]?.contains("insufficient_user_authentication") == true)
            }
            func stepUp(_ json: String) async throws -> ErasureMount.Answer {
                try await mount.ask(.post, "/v1/step-ups", token: anna.token, json: json)
            }
            #expect(try await stepUp(#"{"action":"request erasure","password":"wrong"}"#).code == "invalid_credentials")
            #expect(try await stepUp(#"{"action":"anything","password":"x"}"#).status == 400)
            let cancelling = try await stepUp(#"{"action":"cancel erasure","password":"\#(ErasureMount.password)"}"#)
            let asking = try await stepUp(#"{"action":"request erasure","password":"\#(ErasureMount.password)"}"#)
            let other = try #require(cancelling.json["step_up"] as? String, "\(cancelling)")
            let proof = try #require(asking.json["step_up"] as? String)
            let fields = ["Idempotency-Key": "k", "Prefer": "wait=60"]
            let refused = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, fields.merging(["X-Farewell-Step-Up": other]) { $1 })
            #expect(refused.status == 403 && refused.code == "erasure.step-up-invalid", "\(refused)")
            let someone = try await mount.person()
            let stolen = try await mount.ask(
                .post, "/v1/erasures", token: someone.token, fields.merging(["X-Farewell-Step-Up": proof]) { $1 })
            #expect(stolen.code == "erasure.step-up-invalid")
            let used = fields.merging(["X-Farewell-Step-Up": proof]) { $1 }
            let done = try await mount.ask(.post, "/v1/erasures", token: anna.token, used)
            #expect(done.status == 200, "\(done)")
            let repeated = try await mount.ask(.post, "/v1/erasures", token: anna.token, used)
            #expect(repeated.status == 200 && repeated.json["id"] as? String == done.json["id"] as? String)
        }
    }

    @Test(
        "SV-9 simultaneous repeats of one deletion with one proof are all answered like the first",
        arguments: ["/functions/v1/delete-account", "/v1/erasures"])
    func simultaneous(_ path: String) async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            mount.ahead.withLock { $0 = 600 }
            let asking = try await mount.ask(
                .post, "/v1/step-ups", token: anna.token,
                json: #"{"action":"request erasure","password":"\#(ErasureMount.password)"}"#)
            let proof = try #require(asking.json["step_up"] as? String, "\(asking)")
            let isPlain = path == "/v1/erasures"
            let fields = isPlain ? ["Idempotency-Key": "k", "Prefer": "wait=60"] : [:]
            let shown = fields.merging(["X-Farewell-Step-Up": proof]) { $1 }
            let answers = try await withThrowingTaskGroup(of: ErasureMount.Answer.self) { group in
                for _ in 0..<6 { group.addTask { try await mount.ask(.post, path, token: anna.token, shown) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers { #expect(answer.status == 200, "\(answer)") }
            #expect(Set(answers.compactMap { $0.json["id"] as? String }).count <= 1)
            #expect(try await mount.rows(of: anna).isEmpty)
        }
    }

    @Test("Item 38: cancelling needs a token and the same proof; neither the ticket alone nor another user's token suffices")
    func takingBack() async throws {
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1)) { mount in
            let anna = try await mount.person()
            let other = try await mount.person()
            let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
            #expect(asked.status == 202 && asked.json["state"] as? String == "grace", "\(asked)")
            #expect(asked.json["grace_until"] is String && asked.json["due_at"] is String)
            let id = try #require(asked.json["id"] as? String)
            let ticket = try #require(asked.json["ticket"] as? String)
            #expect(try await mount.isAccepted(anna.token), "in grace the person is still there")
            #expect(try await mount.ask(.delete, "/v1/erasures/\(id)", ["X-Farewell-Ticket": ticket]).status == 401)
            #expect(try await mount.ask(.delete, "/v1/erasures/\(id)", token: other.token).status == 404)
            mount.ahead.withLock { $0 = 600 }
            #expect(try await mount.ask(.delete, "/v1/erasures/\(id)", token: anna.token).status == 403)
            mount.ahead.withLock { $0 = 0 }
            let back = try await mount.ask(.delete, "/v1/erasures/\(id)", token: anna.token)
            #expect(back.status == 200 && back.json["state"] as? String == "cancelled", "\(back)")
            let again = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
            #expect(again.status == 409 && again.json["error_code"] as? String == "erasure.cancelled", "it is not accepted: \(again)")
            #expect(try await mount.ask(.delete, "/v1/erasures/\(id)", token: anna.token).status == 200)
            #expect(try await mount.ask(.delete, "/v1/erasures/\(UUID())", token: anna.token).status == 404)
            #expect(try await mount.rows(of: anna).count == 5)
        }
    }

    @Test("a user without a name cannot sign in again, so a session of any age is enough for a deletion")
    func nameless() async throws {
        try await ErasureMount.with(ServiceRules(secondLook: 0, concurrency: 1, poll: 1)) { mount in
            let signedUp = try await mount.ask(.post, "/auth/v1/signup", json: "{}")
            let token = try #require(signedUp.json["access_token"] as? String, "\(signedUp)")
            let named = try await mount.person()
            mount.ahead.withLock { $0 = 1_000 }
            #expect(try await mount.ask(.post, "/v1/erasures", token: named.token, ["Idempotency-Key": "k"]).status == 403)
            let asked = try await mount.ask(.post, "/v1/erasures", token: token, ["Idempotency-Key": "k"])
            #expect([200, 202].contains(asked.status), "\(asked)")
        }
    }

    @Test("Item 38: a user who can still cancel the erasure gets one message, whichever way the request came")
    func warning() async throws {
        let box = MailBox()
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1), mail: box) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            for _ in 1...2 {
                let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
                #expect(asked.status == 202 && asked.json["state"] as? String == "grace", "\(asked)")
            }
            #expect(try await mount.ask(.post, "/functions/v1/delete-account", token: other.token).status == 202)
            try await mount.server.authority.deliverMail(by: box)
            #expect(Set(box.mails.map(\.address)) == [anna.email, other.email] && box.mails.count == 2)
            #expect(box.mails.allSatisfy { $0.purpose == .erasureRequested && $0.code.isEmpty })
        }
        try await ErasureMount.with(mail: box) { mount in
            let anna = try await mount.person()
            let done = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k", "Prefer": "wait=60"])
            #expect(done.status == 200, "\(done)")
            try await mount.server.authority.deliverMail(by: box)
            #expect(box.mails.count == 2, "who cannot take it back is not asked to")
        }
    }

    @Test("SV-1 SV-2 SV-3 repeating a cancelled request under its key is refused, and the answer does not call it a deletion")
    func takenBack() async throws {
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1)) { mount in
            for (method, path) in Self.deleting.dropFirst() {
                let anna = try await mount.person()
                let fields = ["Idempotency-Key": "k"]
                let asked = try await mount.ask(method, path, token: anna.token, fields)
                #expect(asked.status == 202, "\(path) \(asked)")
                let told = asked.json["data"] as? [String: Any] ?? asked.json
                let id = try #require(told["id"] as? String, "\(asked)")
                #expect(try await mount.ask(.delete, "/v1/erasures/\(id)", token: anna.token).status == 200)
                let again = try await mount.ask(method, path, token: anna.token, fields)
                #expect(again.status == 409 && again.text.contains("cancelled"), "\(path) \(again)")
                #expect(try await mount.rows(of: anna).count == 5)
            }
        }
    }

    @Test("Item 39: 64 simultaneous deletions are one")
    func once() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let answers = try await withThrowingTaskGroup(of: ErasureMount.Answer.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        try await mount.ask(
                            .post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k\(number % 8)", "Prefer": "wait=60"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.first { $0.status != 200 }?.description ?? "")")
            #expect(Set(answers.compactMap { $0.json["id"] as? String }).count == 1)
            #expect(Set(answers.compactMap { $0.json["ticket"] as? String }).count == 8)
        }
    }

    private static let body = #"{"ticket":"\#(ticket)"}"#
    /// Another ticket, none, and nothing at all, under the key of an asking that had one.
    private static let otherBodies: [String?] = [#"{"ticket":"\#(Base64URL.text([UInt8](repeating: 9, count: 32)))"}"#, "{}", nil]

    @Test("Item 39: a key reused for another body is refused; the same body gets the same answer, and a key belongs to one user")
    func keyReused() async throws {
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1)) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            let fields = ["Idempotency-Key": "k"]
            let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, json: Self.body, fields)
            #expect(asked.status == 202, "\(asked)")
            for body in Self.otherBodies {
                let refused = try await mount.ask(.post, "/v1/erasures", token: anna.token, json: body, fields)
                #expect(refused.status == 422 && refused.code == "erasure.key-reused", "\(body ?? "nothing"): \(refused)")
            }
            let again = try await mount.ask(.post, "/v1/erasures", token: anna.token, json: Self.body, fields)
            #expect(again.status == 202 && again.json["id"] as? String == asked.json["id"] as? String, "\(again)")
            let theirs = try await mount.ask(.post, "/v1/erasures", token: other.token, fields)
            #expect(theirs.status == 202 && theirs.json["id"] as? String != asked.json["id"] as? String, "\(theirs)")
        }
    }

    @Test("Item 39: a key reused for another body is refused even after the deletion; a caller without a token learns nothing")
    func keyReusedAfterwards() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let fields = ["Idempotency-Key": "k", "Prefer": "wait=60"]
            let done = try await mount.ask(.post, "/v1/erasures", token: anna.token, json: Self.body, fields)
            #expect(done.status == 200, "\(done)")
            for body in Self.otherBodies {
                let refused = try await mount.ask(.post, "/v1/erasures", token: anna.token, json: body, fields)
                #expect(refused.status == 422 && refused.code == "erasure.key-reused", "\(body ?? "nothing"): \(refused)")
                let nobody = try await mount.ask(.post, "/v1/erasures", json: body, fields)
                #expect(nobody.status == 401 && nobody.code == "no_authorization", "\(body ?? "nothing"): \(nobody)")
            }
        }
    }

    @Test("SV-6 users of other issuers are erased by their own recent tokens")
    func foreign() async throws {
        let secret = String(repeating: "s", count: 40)
        let issuer = try TrustedIssuer.supabase("https://abc.example", keys: .secret(secret))
        try await ErasureMount.with(foreign: [issuer]) { mount in
            let anna = try await mount.person()
            let now = Int(Date(timeIntervalSinceNow: 0).timeIntervalSince1970)
            func token(provedAt: Int) -> String {
                ErasureMount.token(
                    [
                        "iss": "https://abc.example/auth/v1", "sub": anna.id, "aud": "authenticated", "iat": now, "exp": now + 600,
                        "amr": [["method": "password", "timestamp": provedAt]],
                    ], secret: secret)
            }
            let stale = try await mount.ask(.delete, "/me/account", token: token(provedAt: now - 4_000))
            #expect(stale.status == 403, "\(stale)")
            let done = try await mount.ask(.delete, "/me/account", token: token(provedAt: now - 10))
            #expect(done.status == 200, "\(done)")
            #expect(done.text == #"{"deleted":{"rows":true},"message":"User account deleted successfully","success":true}"#)
            #expect(try await mount.rows(of: anna).isEmpty)
            let nobody = ErasureMount.token(
                [
                    "iss": "https://abc.example/auth/v1", "sub": "nobody", "aud": "authenticated", "iat": now, "exp": now + 600,
                    "auth_time": now,
                ],
                secret: secret)
            #expect(try await mount.ask(.post, "/v1/erasures", token: nobody, ["Idempotency-Key": "k"]).status == 404)
        }
    }
}

/// Keeps the mails that were sent.
private final class MailBox: MailSending {
    private let kept = Guarded<[Mail]>([])
    var mails: [Mail] { kept.withLock { $0 } }

    func send(_ mail: Mail) async throws { kept.withLock { $0.append(mail) } }
}
