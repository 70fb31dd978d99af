// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellErasure
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("An erasure concerns the token's user, whatever other user the request names")
struct ErasureIdentityTests {
    /// Another user in every place where an app might name the subject.
    private struct Named {
        let query: String
        let fields: [String: String]
        let members: String

        init(_ person: ErasureMount.Person) {
            let id = person.id
            query = "?user_id=\(id)&subject=\(id)&sub=\(id)&id=\(id)&email=\(person.email)"
            fields = ["X-User-Id": id, "X-Subject": id, "apikey": id, "X-Forwarded-User": id]
            members = #""user_id":"\#(id)","userId":"\#(id)","subject":"\#(id)","sub":"\#(id)","id":"\#(id)","email":"\#(person.email)""#
        }
    }

    static let looking: [(method: HTTPRequest.Method, path: String)] = [
        (.delete, ""), (.get, ""), (.get, "/receipt"), (.get, "/receipt/page"), (.get, "/events"),
    ]

    @Test("Item 28: while the accounts cannot be read, a user's erasure is not called unknown", .timeLimit(.minutes(30)))
    func unreadable() async throws {
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1)) { mount in
            let mine = try await mount.person()
            let own = try await mount.asked(by: mine)
            func shown() async throws -> ErasureMount.Answer {
                try await mount.ask(.get, "/v1/erasures/\(own.id)", token: mine.token)
            }
            #expect(try await shown().status == 200)
            try await mount.database.run("ALTER TABLE auth_sessions RENAME TO aside")
            let unread = try await shown()
            #expect(unread.status >= 500 && unread.code != "erasure.not-found", "\(unread)")
            try await mount.database.run("ALTER TABLE aside RENAME TO auth_sessions")
            #expect(try await shown().status == 200)
        }
    }

    @Test(
        "Item 28: a user's own token with another user's erasure number finds no erasure, in grace or when it is done",
        .timeLimit(.minutes(30)))
    func number() async throws {
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1)) { mount in
            let (mine, other) = (try await mount.person(), try await mount.person())
            let (own, theirs) = (try await mount.asked(by: mine), try await mount.asked(by: other))
            let (kept, before) = (try await mount.rows(of: mine), try await mount.rows(of: other))
            let named = Named(other)
            let nothing = UUID().uuidString.lowercased()
            for moment in [ErasureState.grace, .done] {
                if moment == .done {
                    try await mount.endGrace(of: theirs.id)
                    try await eventually { try await mount.state(of: theirs.id) == .done }
                }
                for fields in [named.fields, named.fields.merging(["X-Farewell-Ticket": own.ticket]) { $1 }] {
                    for (method, path) in Self.looking {
                        let answer = try await mount.ask(
                            method, "/v1/erasures/\(theirs.id)\(path)\(named.query)", token: mine.token, fields)
                        #expect(answer.status == 404 && answer.code == "erasure.not-found", "\(method) \(path) \(answer)")
                        let unknown = try await mount.ask(
                            method, "/v1/erasures/\(nothing)\(path)\(named.query)", token: mine.token, fields)
                        #expect(answer.text == unknown.text, "it is told from one that never was: \(method) \(path)")
                    }
                }
                #expect(try await mount.state(of: theirs.id) == moment)
                #expect(try await mount.rows(of: other) == (moment == .grace ? before : []))
                #expect(try await mount.isAccepted(other.token) == (moment == .grace))
            }
            let shown = try await mount.ask(.get, "/v1/erasures/\(theirs.id)", ["X-Farewell-Ticket": theirs.ticket])
            #expect(shown.status == 200 && shown.json["state"] as? String == "done", "\(shown)")
            #expect(try await mount.state(of: own.id) == .grace)
            #expect(try await mount.rows(of: mine) == kept)
        }
    }

    @Test("Item 29: a proof is valid only in the session that gave it, and not after a change of the password")
    func boundProof() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let signedIn = try await mount.ask(
                .post, "/auth/v1/token?grant_type=password",
                json: #"{"email":"\#(anna.email)","password":"\#(ErasureMount.password)"}"#)
            let other = try #require(signedIn.json["access_token"] as? String, "\(signedIn)")
            func proof(_ password: String) async throws -> String {
                let answer = try await mount.ask(
                    .post, "/v1/step-ups", token: anna.token,
                    json: #"{"action":"request erasure","password":"\#(password)"}"#)
                return try #require(answer.json["step_up"] as? String, "\(answer)")
            }
            func asked(_ token: String, _ proof: String) async throws -> ErasureMount.Answer {
                let fields = ["Idempotency-Key": "k", "Prefer": "wait=60", "X-Farewell-Step-Up": proof]
                return try await mount.ask(.post, "/v1/erasures", token: token, fields)
            }
            let first = try await proof(ErasureMount.password)
            #expect(try await asked(other, first).code == "erasure.step-up-invalid")
            let password = "another horse, another battery"
            let changed = try await mount.ask(.put, "/auth/v1/user", token: anna.token, json: #"{"password":"\#(password)"}"#)
            #expect(changed.status == 200, "\(changed)")
            #expect(try await asked(anna.token, first).code == "erasure.step-up-invalid")
            let done = try await asked(anna.token, try await proof(password))
            #expect(done.status == 200 && done.json["state"] as? String == "done", "\(done)")
        }
    }

    @Test("Item 28: preview and step-up concern the token's user, and a proof is valid for no other user")
    func proof() async throws {
        try await ErasureMount.with { mount in
            let (mine, other) = (try await mount.person(), try await mount.person())
            // The other has more, and another password, so that it shows who was meant.
            try await mount.database.withConnection { connection in
                for body in ["c", "d", "e"] {
                    _ = try await connection.run("INSERT INTO notes (user_id, body) VALUES ($1, $2)", .text(other.id), .text(body))
                }
            }
            let password = "another horse, another battery"
            let changed = try await mount.ask(.put, "/auth/v1/user", token: other.token, json: #"{"password":"\#(password)"}"#)
            #expect(changed.status == 200, "\(changed)")
            let before = try await mount.rows(of: other)
            let named = Named(other)

            let preview = try await mount.ask(
                .get, "/v1/erasures/preview\(named.query)", token: mine.token, json: "{\(named.members)}", named.fields)
            #expect(preview.status == 200 && preview.json["erased"] as? Int == 5, "\(preview)")
            let theirs = try await mount.ask(.get, "/v1/erasures/preview", token: other.token)
            #expect(theirs.status == 200 && (theirs.json["erased"] as? Int ?? 0) >= 8, "\(theirs)")

            func stepUp(_ password: String) async throws -> ErasureMount.Answer {
                try await mount.ask(
                    .post, "/v1/step-ups\(named.query)", token: mine.token,
                    json: #"{"action":"request erasure","password":"\#(password)",\#(named.members)}"#, named.fields)
            }
            let borrowed = try await stepUp(password)
            #expect(borrowed.status == 400 && borrowed.code == "invalid_credentials", "\(borrowed)")
            let asked = try await stepUp(ErasureMount.password)
            #expect(asked.status == 200, "\(asked)")
            let proof = try #require(asked.json["step_up"] as? String)

            mount.ahead.withLock { $0 = 600 }
            let fields = ["Idempotency-Key": "k", "Prefer": "wait=60", "X-Farewell-Step-Up": proof]
            let stolen = try await mount.ask(.post, "/v1/erasures", token: other.token, fields)
            #expect(stolen.status == 403 && stolen.code == "erasure.step-up-invalid", "\(stolen)")
            let done = try await mount.ask(
                .post, "/v1/erasures\(named.query)", token: mine.token, json: "{\(named.members)}",
                fields.merging(named.fields) { $1 })
            #expect(done.status == 200 && done.json["state"] as? String == "done", "\(done)")
            #expect(try await mount.rows(of: mine).isEmpty)
            #expect(try await mount.rows(of: other) == before)
            #expect(try await mount.isAccepted(other.token))
            #expect(try await mount.requests.latest(of: other.id) == nil)
        }
    }
}
