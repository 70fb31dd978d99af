// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("An account that a plan omits, in the same database as the rows")
struct MissedAccountTests {
    @Test("SE-9 an erasure does not end while its account exists, and the account is deleted")
    func missed() async throws {
        try await ErasureMount.with(ServiceRules(secondLook: 3_600, concurrency: 1, poll: 1)) { mount in
            let person = try await mount.person()
            let asked = try await mount.ask(
                .post, "/v1/erasures", token: person.token, ["Idempotency-Key": "k", "Prefer": "wait=60"])
            let id = try #require(UUID(uuidString: asked.json["id"] as? String ?? ""), "\(asked)")
            let ended = try #require(try await mount.requests.wait(for: id, atMost: 60))
            #expect(ended.state == .done)

            let accounts = AccountRemoval(authority: mount.server.authority, others: nil, isApart: false)
            let taking = try #require(mount.server.erasures)
            let serving = ErasureServing(
                mount.requests, engine: taking.engine, foreign: nil, wait: 60, systems: [:], appleEvents: nil, eventKey: nil,
                accounts: accounts)
            let deletion = AccountDeletion(
                serving, authority: mount.server.authority, world: mount.server.world)
            #expect(try await deletion.view(of: ended).state == "done")

            // Like a link that finds no account.
            let back = SQLStatement("INSERT INTO auth_users (id) VALUES ($1)", [.text(person.id)])
            _ = try await mount.database.withConnection { try await $0.run(back) }
            let view = try await deletion.view(of: ended)
            #expect(view.state == "verifying" && view.receipt == nil && view.finished_at == nil)
            #expect(try await deletion.signedReceipt(of: ended) == nil)
            #expect(try await deletion.accounts.kept(among: [ended]) == [id])

            let endpoint = try #require(accounts.endpoints.first)
            #expect(endpoint.needsSubject && endpoint.mayLackSubject && endpoint.attempts == nil)

            #expect(try await accounts.isThere(person.id))
            let other = try await mount.person()
            #expect(await accounts.remove([UUID().uuidString, person.id, "no account", other.id]))
            #expect(try await !accounts.isThere(person.id))
            #expect(try await !accounts.isThere(other.id))
            #expect(try await deletion.view(of: ended).state == "done")
            #expect(try await deletion.signedReceipt(of: ended) != nil)
        }
    }
}
