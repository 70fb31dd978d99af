// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("A failing primary, and a replica that takes over")
struct FailoverTests {
    /// Accepted before the replica fell behind, carried out on either server.
    private static let accepted = 3...6
    /// Erased on the old primary alone.
    private static let lost = 1

    @Test("OP-5 OPS-05 workers continue at the promoted replica, and reerase finds the subject whose erasure was lost with the primary")
    func failover() async throws {
        try await OwnServer.with { primary in
            try await primary.withReplica { replica in
                let both = Self.address(primary, replica)
                try await ErasurePlace.with(.postgresql, people: 8, on: both) { place in
                    try await place.place.serving(place.settings("concurrency: 0")) { server in
                        let waiting = try await Self.accept(place, server)
                        let leaving = try await place.signIn(Self.lost, server)
                        try await Self.catchUp(replica, with: primary)
                        try await Self.cutOff(replica)
                        try await place.working(place.settings()) { worker in
                            let gone = try await server.ask(.DELETE, "/me/account", token: leaving.access)
                            #expect(gone.status == 200, "\(gone)")
                            // In the middle of the others, or of what follows them.
                            try await primary.stop()
                            try await replica.promote()
                            try await eventually {
                                let open = try? await place.query(
                                    "SELECT count(*) FROM farewell.erasures WHERE state <> 'done'")
                                return open == [[.integer(0)]]
                            }
                            #expect(kill(worker.value, 0) == 0, "the same worker goes on")
                        }
                        try await eventually { try await server.ask(.GET, "/readyz").status == 200 }
                        for (id, ticket) in waiting {
                            let view = try await server.ask(.GET, "/v1/erasures/\(id)", headers: ["X-Farewell-Ticket": ticket])
                            #expect(view.json["state"] as? String == "done", "\(view)")
                        }
                    }
                    for person in Self.accepted { #expect(try await place.count(person) == 0) }
                    try await Self.mend(place)
                }
            }
        }
    }

    /// The erasure that is lost is known from the ledger in the state directory, and done again.
    private static func mend(_ place: ErasurePlace) async throws {
        #expect(try await place.count(lost) > 0, "the replica never heard of it")
        let arguments = ["--plan", "plan.yaml", "--state", ".farewell"]
        let found = try await place.place.call(["reerase", "--dry-run", "--json"] + arguments)
        #expect(found.status == 1 && found.output.contains(place.key(lost)), "\(found)")
        #expect(accepted.allSatisfy { !found.output.contains(place.key($0)) })
        let again = try await place.place.call(["reerase", "--yes"] + arguments)
        #expect(again.status == 0, "\(again)")
        #expect(try await place.count(lost) == 0)
    }

    private static func address(_ primary: OwnServer, _ replica: OwnServer) -> String {
        let hosts = [primary, replica].map { $0.address.split(separator: "@")[1].split(separator: "/")[0] }
        return "postgresql://farewell@\(hosts.joined(separator: ","))/postgres?target_session_attrs=read-write"
    }

    /// - Returns: each erasure's id and ticket.
    private static func accept(_ place: ErasurePlace, _ server: RunningServer) async throws -> [(String, String)] {
        var waiting: [(String, String)] = []
        for person in accepted {
            let mine = try await place.signIn(person, server)
            let answer = try await server.ask(
                .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "\(UUID())"])
            let (id, ticket) = (answer.json["id"] as? String, answer.json["ticket"] as? String)
            waiting.append((try #require(id, "\(answer)"), try #require(ticket)))
        }
        return waiting
    }

    private static func catchUp(_ replica: OwnServer, with primary: OwnServer) async throws {
        let reached = try await ask("SELECT pg_current_wal_flush_lsn()::text", primary)
        let place = try #require(reached?.text)
        try await eventually {
            try await ask("SELECT pg_last_wal_replay_lsn() >= '\(place)'::pg_lsn", replica) == .bool(true)
        }
    }

    /// From now on the replica hears of nothing.
    private static func cutOff(_ replica: OwnServer) async throws {
        _ = try await ask("ALTER SYSTEM SET primary_conninfo = ''", replica)
        _ = try await ask("SELECT pg_reload_conf()", replica)
        try await eventually { try await ask("SELECT count(*) FROM pg_stat_wal_receiver", replica) == .integer(0) }
    }

    private static func ask(_ text: String, _ server: OwnServer) async throws -> SQLValue? {
        let database = try openDatabase(server.address)
        let answer = try await database.withConnection { try await $0.run(SQLStatement(text)).scalar }
        await database.close()
        return answer
    }
}
