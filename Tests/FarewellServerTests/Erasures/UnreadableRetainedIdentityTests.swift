// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("A sealed identity that no longer opens, or is missing")
struct UnreadableRetainedIdentityTests {
    @Test("an account with an unreadable sealed identity counts as kept; the server looks for the others")
    func unreadable() async throws {
        try await ErasureMount.with(ServiceRules(secondLook: 3_600, concurrency: 1, poll: 1)) { mount in
            var ended: [RequestedErasure] = []
            for _ in 0..<2 {
                let person = try await mount.person()
                let asked = try await mount.ask(
                    .post, "/v1/erasures", token: person.token, ["Idempotency-Key": "k", "Prefer": "wait=60"])
                let id = try #require(UUID(uuidString: asked.json["id"] as? String ?? ""), "\(asked)")
                ended.append(try #require(try await mount.requests.wait(for: id, atMost: 60)))
            }
            #expect(ended.map(\.state) == [.done, .done])
            let taking = try #require(mount.server.erasures)
            let serving = ErasureServing(
                mount.requests, engine: taking.engine, foreign: nil, wait: 60, systems: [:], appleEvents: nil, eventKey: nil,
                accounts: AccountRemoval(authority: mount.server.authority, others: nil))
            let deletion = AccountDeletion(
                serving, authority: mount.server.authority, world: mount.server.world)
            #expect(try await deletion.accounts.kept(among: ended).isEmpty)

            let spoil = SQLStatement(
                "UPDATE farewell_keepsakes SET sealed = x'00' WHERE erasure = $1", [.text(ended[0].id.text)])
            let spoilt = try await mount.database.withConnection { try await $0.run(spoil) }
            #expect(spoilt.affected == 1)
            #expect(try await deletion.accounts.kept(among: ended) == [ended[0].id])
            #expect(try await deletion.view(of: ended[0]).state == "verifying")
            #expect(try await deletion.view(of: ended[1]).state == "done")

            // The outbox has given the other account up, and its retained identity is gone.
            for statement in [
                """
                INSERT INTO farewell_events (erasure, kind, occasion, happened_at, addressed_at) VALUES \
                ($1, 'erasure.done', 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z') ON CONFLICT DO NOTHING
                """,
                """
                INSERT INTO farewell_deliveries (event, endpoint, state) SELECT id, 'accounts', 'dead' \
                FROM farewell_events WHERE erasure = $1 AND kind = 'erasure.done'
                """,
                "DELETE FROM farewell_keepsakes WHERE erasure = $1",
            ] {
                let about = SQLStatement(statement, [.text(ended[1].id.text)])
                _ = try await mount.database.withConnection { try await $0.run(about) }
            }
            #expect(try await deletion.accounts.kept(among: ended) == Set(ended.map(\.id)))
            let view = try await deletion.view(of: ended[1])
            #expect(view.state == "verifying" && view.receipt == nil && view.finished_at == nil)
        }
    }
}
