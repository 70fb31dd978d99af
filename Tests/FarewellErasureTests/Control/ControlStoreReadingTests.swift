// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The rows that the control store reads")
struct ControlStoreReadingTests {
    private static let ended = 20_000

    /// So many whose erasure ended, with all that a service wrote down of each, and an invoice that is kept for years.
    ///
    /// - Parameter waiting: How many others were requested, half of which are in their grace period.
    private static func fill(_ fixture: EngineFixture, waiting: Int = 0) async throws {
        let numbers =
            fixture.dialect == .postgresql
            ? "generate_series(1, \(ended)) AS n (i)"
            : "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ended)) SELECT i FROM n) AS n"
        let id =
            fixture.dialect == .postgresql
            ? "CAST(lpad(to_hex(i), 32, '0') AS uuid)" : "printf('00000000-0000-0000-0000-%012x', i)"
        let hash = fixture.dialect == .postgresql ? "lpad(CAST(i AS text), 64, '0')" : "printf('%064d', i)"
        let time = "'2026-01-01T00:00:00.000Z'"
        func insert(_ table: String, _ columns: String, _ values: String) -> String {
            "INSERT INTO \(fixture.control(table)) (\(columns)) SELECT \(values) FROM \(numbers)"
        }
        let past = fixture.dialect == .postgresql ? "CAST(\(time) AS timestamptz)" : time
        let future = past.replacing("2026", with: "2099")
        let other =
            fixture.dialect == .postgresql
            ? "CAST(lpad(to_hex(i), 32, 'f') AS uuid)" : "printf('ffffffff-0000-0000-0000-%012x', i)"
        let bytes = fixture.dialect == .postgresql ? "CAST('x' AS bytea)" : "x'01'"
        let last = "\(ended - waiting)"
        let others = [
            insert(
                "erasures", "id, state, requested_at, subject_hash, plan_fingerprint, schema_fingerprint",
                """
                \(other), CASE WHEN i % 2 = 0 THEN 'requested' ELSE 'grace' END, \(past), \(hash), 'p', 's'
                """),
            insert(
                "requests", "erasure, ready_at, due_at",
                "\(other), CASE WHEN i % 2 = 0 THEN \(past) ELSE \(future) END, \(past)"),
        ].map { "\($0) WHERE i > \(last)" }
        for statement in [
            insert(
                "erasures", "id, state, requested_at, finished_at, subject_hash, plan_fingerprint, schema_fingerprint",
                "\(id), 'done', \(past), \(past), \(hash), 'p', 's'"),
            insert("steps", "erasure, name, state, started_at, finished_at", "\(id), 'rows', 'done', \(past), \(past)"),
            insert("requests", "erasure, due_at, told", "\(id), \(past), 'told'"),
            insert("tickets", "hash, erasure, key_hash", "\(hash), \(id), \(hash)"),
            insert("keepsakes", "erasure, wrapped_key, sealed, keep_until", "\(id), \(bytes), \(bytes), \(past)"),
            insert("events", "erasure, kind, happened_at, addressed_at", "\(id), 'erasure.done', \(past), \(past)"),
            insert(
                "retentions", "erasure, piece, place, kept, until, wrapped_key, sealed",
                "\(id), 0, 'invoices', 1, '2036-01-01', \(bytes), \(bytes)"),
            insert("ledger", "subject_hash, receipt, entry", "\(hash), \(id), '{}'"),
        ] + (waiting > 0 ? others : []) + [fixture.dialect == .postgresql ? "VACUUM ANALYZE" : "ANALYZE"] {
            try await fixture.database.withConnection { _ = try await $0.run(SQLStatement(statement)) }
        }
    }

    @Test(
        "requests for one subject and repeated requests read no row of erasures that ended long ago",
        arguments: SQLDialect.allCases)
    func readsFew(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, "CREATE TABLE people (id integer PRIMARY KEY, email text);") { fixture in
            let control = try await fixture.engine().control
            try await Self.fill(fixture)
            let (id, hash) = (UUID(), String(repeating: "a", count: 64))
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            let statements =
                [
                    control.requests.find(id).statement, control.requests.find(subjectHash: hash).statement,
                    control.requests.countDone(subjectHash: hash).statement,
                    control.requests.live(subjectHashes: [hash]).statement, control.requests.ticket(keyHash: hash).statement,
                    control.requests.countTickets(of: id).statement,
                    control.requests.erasure(ticketHash: hash).statement, control.requests.promises(of: [id]).statement,
                    control.requests.cancel(id, subjectHash: hash, at: now).statement,
                    control.leases.abandoned(limit: 10).statement,
                    control.leases.abandonedUnheld(limit: 10, under: "p").statement,
                    control.leases.owners.statement,
                    control.leases.free(from: "worker"),
                    control.identities.claimLooks(limit: 10, seconds: 60, under: "p").statement,
                    control.requests.live().statement,
                    control.retentions.countFailing.statement, control.retentions.failing(limit: 10).statement,
                    control.outbox.unaddressed(limit: 10).statement, control.outbox.address([1, 2], [.done], to: "endpoint"),
                    control.outbox.addressed([1, 2]),
                    control.outbox.claimDeliveries(to: .only("crm"), limit: 10, seconds: 60).statement,
                    control.outbox.claimDeliveries(to: .allBut(["accounts", "crm"]), limit: 10, seconds: 60, after: ["accounts"]).statement,
                    control.isTold(subjectHash: hash).statement,
                    control.steps.placeRecord("avatars", at: "disk", of: hash, in: id, since: now).statement,
                    control.leases.claiming(limit: 10, owner: "worker", under: "p", endsGrace: true).statement,
                ] + control.outbox.noteEnds(at: now)
            for statement in statements {
                let words = dialect == .postgresql ? "EXPLAIN " : "EXPLAIN QUERY PLAN "
                let lines = try await fixture.database.withConnection {
                    try await $0.run(SQLStatement(words + statement.text, statement.parameters))
                }
                let plan = lines.rows.compactMap { $0.compactMap(\.text).last }.joined(separator: "\n")
                #expect(!plan.isEmpty)
                #expect(!Self.readsAll(plan), "\(statement.text)\n\(plan)")
            }
        }
    }

    @Test(
        "OP-4 what workers ask and record for each batch reads no table whole, however many erasures wait and have ended",
        arguments: SQLDialect.allCases)
    func workersReadFew(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            for subject in ["1", "2"] { _ = try await place.requests().request(subject) }
            let claimed = try #require(await place.workers().claimed())
            let erasures = try claimed.map { try SubjectSeal.opened($0, keys: place.engine.keys) }
            #expect(erasures.count == 2)
            try await Self.fill(place.fixture, waiting: 6_000)
            let (control, now) = (place.engine.control, Date(timeIntervalSince1970: 1_800_000_000))
            let ticket = TicketRecord(hash: "t", keyHash: nil, bodyHash: "b")
            var statements =
                [
                    control.leases.claiming(limit: 50, owner: "worker", under: "p", endsGrace: true).statement,
                    control.leases.guardLease(erasures, owner: "worker", state: .fenced),
                    control.leases.renew(erasures, owner: "worker"),
                    control.leases.abandonedUnheld(limit: 20, under: "p").statement, control.leases.owners.statement,
                    control.leases.free(from: "worker"), control.receiptsGiven(to: erasures).statement,
                ] + control.requests.hand(out: erasures.map { (ticket, $0.id) })
            if dialect == .postgresql {
                statements += control.requests.end(erasures.map { ($0, "receipt") }, owner: "worker", at: now)
                statements.append(control.outbox.noteDone(erasures.map(\.id), at: now))
            }
            for statement in statements {
                let plan = try await Self.plan(of: statement, in: place.fixture)
                #expect(!plan.isEmpty || dialect == .sqlite && statement.text.hasPrefix("INSERT"))
                #expect(!Self.readsAll(plan), "\(statement.text)\n\(plan)")
            }
        }
    }

    /// The plan of a statement for any values: PostgreSQL soon keeps one plan for all of them.
    private static func plan(of statement: SQLStatement, in fixture: EngineFixture) async throws -> String {
        let values = statement.parameters.map { _ in "NULL" }.joined(separator: ", ")
        let result = try await fixture.database.withConnection { connection in
            guard fixture.dialect == .postgresql else {
                return try await connection.run(SQLStatement("EXPLAIN QUERY PLAN " + statement.text, statement.parameters))
            }
            try await connection.run("SET plan_cache_mode = force_generic_plan")
            try await connection.run("PREPARE asked AS \(statement.text)")
            let result = try await connection.run("EXPLAIN EXECUTE asked\(values.isEmpty ? "" : "(\(values))")")
            try await connection.run("DEALLOCATE asked")
            return result
        }
        return result.rows.compactMap { $0.compactMap(\.text).last }.joined(separator: "\n")
    }

    /// Indexes of what is still to be done, which are short: they may be read whole.
    private static let short = [
        "erasures_live", "requests_ready", "requests_untold", "keepsakes_look", "events_unaddressed", "retentions_failing",
        "erasures_held",
    ]

    /// Whether a plan goes through a whole table of those that only grow.
    private static func readsAll(_ plan: String) -> Bool {
        plan.split(separator: "\n").contains { line in
            line.contains(#/Seq Scan on (erasures|steps|requests|tickets|keepsakes|events|retentions|ledger)/#)
                || line.hasPrefix("SCAN ") && !line.contains("json_each") && line != "SCAN CONSTANT ROW"
                    && !short.contains { line.contains($0) }
        }
    }

    @Test("the test would notice a read of a whole table")
    func seen() {
        #expect(Self.readsAll("Aggregate\n  ->  Seq Scan on erasures  (cost=0.00..6550.52 rows=1 width=0)"))
        #expect(Self.readsAll("SEARCH r\nSCAN farewell_erasures"))
        #expect(Self.readsAll("SCAN v USING COVERING INDEX sqlite_autoindex_farewell_events_1"))
        #expect(!Self.readsAll("SCAN r USING INDEX farewell_requests_ready"))
    }
}
