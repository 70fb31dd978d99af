// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("An account that an operator creates under an erased account's identifier")
struct RecreatedAccountTests {
    private static let cookie = "__Host-farewell-ticket"

    /// Erases a user and makes an account with the same identifier again.
    private func recreated(
        _ mount: ErasureMount
    ) async throws -> (person: ErasureMount.Person, ticket: String, id: String) {
        let person = try await mount.person()
        let asked = try await mount.ask(
            .post, "/v1/erasures", token: person.token, ["Idempotency-Key": "k", "Prefer": "wait=60"])
        let ticket = try #require(asked.json["ticket"] as? String, "\(asked)")
        let id = try #require(asked.json["id"] as? String)
        _ = try await mount.requests.wait(for: try #require(UUID(uuidString: id)), atMost: 60)
        #expect(try await mount.state(of: id) == .done)
        try await remake(person, mount)
        return (person, ticket, id)
    }

    private func remake(_ person: ErasureMount.Person, _ mount: ErasureMount) async throws {
        let made = try await mount.ask(
            .post, "/auth/v1/admin/users", token: ErasureMount.operatorToken,
            json: """
                {"id":"\(person.id)","email":"\(person.email)","password":"\(ErasureMount.password)","email_confirm":true}
                """)
        #expect(made.status == 200, "\(made)")
    }

    private func isThere(_ person: ErasureMount.Person, _ mount: ErasureMount) async throws -> Bool {
        let path = "/auth/v1/admin/users/\(person.id)"
        return try await mount.ask(.get, path, token: ErasureMount.operatorToken).status == 200
    }

    /// As the outbox notes that it has seen the account gone.
    private func deliver(_ id: String, _ mount: ErasureMount) async throws {
        for statement in [
            """
            INSERT INTO farewell_events (erasure, kind, occasion, happened_at, addressed_at) VALUES \
            ($1, 'erasure.done', 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z') ON CONFLICT DO NOTHING
            """,
            """
            INSERT INTO farewell_deliveries (event, endpoint, state) SELECT id, 'accounts', 'delivered' \
            FROM farewell_events WHERE erasure = $1 AND kind = 'erasure.done'
            """,
        ] {
            let noting = SQLStatement(statement, [.text(id)])
            _ = try await mount.database.withConnection { try await $0.run(noting) }
        }
    }

    @Test("AD-8 an account created after the erasure is recognised as new, and a remaining one is not")
    func returned() async throws {
        try await ErasureMount.with { mount in
            let accounts = AccountRemoval(authority: mount.server.authority, others: nil)
            let other = try await mount.person()
            #expect(try await accounts.hasReturned(other.id, since: .now.addingTimeInterval(60)) == false)
            let before = Date.now
            let (person, _, id) = try await recreated(mount)
            let ended = try await mount.requests.erasure(try #require(UUID(uuidString: id)))?.status.erasure.finishedAt
            #expect(try await accounts.hasReturned(person.id, since: try #require(ended)))
            #expect(try await accounts.hasReturned(person.id, since: before))
            for nobody in [UUID().uuidString, "no-uuid"] { #expect(try await !accounts.hasReturned(nobody, since: before)) }
        }
    }

    @Test(
        "SV-1 SC-4 an old ticket, a page and an old token delete no account created after the erasure",
        arguments: [true, false])
    func delivered(isApart: Bool) async throws {
        let rules = ServiceRules(secondLook: 3_600, concurrency: 1, poll: 1)
        try await ErasureMount.with(rules, pages: PageSettings(), isApart: isApart) { mount in
            let (person, ticket, id) = try await recreated(mount)
            try await deliver(id, mount)
            let byTicket = try await mount.ask(
                .post, "/v1/erasures", json: #"{"ticket":"\#(ticket)"}"#, ["Idempotency-Key": "other"])
            #expect(byTicket.status == 200, "\(byTicket)")
            #expect(try await isThere(person, mount), "by the ticket")
            let page = try await mount.ask(.get, "/account/delete/progress", ["Cookie": "\(Self.cookie)=\(ticket)"])
            #expect(page.status == 200)
            #expect(try await isThere(person, mount), "by the page")
            for path in ["/v1/erasures", "/functions/v1/delete-account"] {
                _ = try await mount.ask(.post, path, token: person.token, ["Idempotency-Key": "k"])
                #expect(try await isThere(person, mount), "by the old token at \(path)")
            }
            let signedIn = try await mount.ask(
                .post, "/auth/v1/token?grant_type=password",
                json: #"{"email":"\#(person.email)","password":"\#(ErasureMount.password)"}"#)
            #expect(signedIn.status == 200, "\(signedIn)")
        }
    }

    @Test("SV-1 SC-4 viewing an erasure removes no account, even while the outbox still has to remove it; a request does")
    func owed() async throws {
        let rules = ServiceRules(secondLook: 3_600, concurrency: 1, poll: 1)
        try await ErasureMount.with(rules, pages: PageSettings(), isApart: true) { mount in
            // As in another database, where the outbox has not come to it yet.
            let (person, ticket, id) = try await recreated(mount)
            let fields = ["Cookie": "\(Self.cookie)=\(ticket)", "X-Farewell-Ticket": ticket]
            for path in ["/account/delete/progress", "/account/delete", "/v1/erasures", "/v1/erasures/\(id)"] {
                for method in [HTTPRequest.Method.get, .head] {
                    let answer = try await mount.ask(method, path, fields)
                    #expect(!answer.text.contains("receiptLink"), "\(method) \(path) says it is over")
                }
            }
            #expect(try await isThere(person, mount))
            let asked = try await mount.ask(
                .post, "/v1/erasures", json: #"{"ticket":"\#(ticket)"}"#, ["Idempotency-Key": "other"])
            #expect(asked.status == 200, "\(asked)")
            #expect(try await !isThere(person, mount))
        }
    }
}
