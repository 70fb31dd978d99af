// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Large accounts")
struct LargeAccountTests {
    @Test("a worker deletes each row of a large account once, as the server's own count shows")
    func once() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            try await place.fixture.run("INSERT INTO posts SELECT n, 1, 'text' FROM generate_series(1000, 23999) AS s (n)")
            let ended = try #require(try await place.erased("1"))
            #expect(ended.state == .done && ended.receipt != nil)
            #expect(try await place.fixture.count("posts") == 4)
            // The server's counters include rolled-back transactions, and arrive within a second.
            try await eventually { try await Self.deletedPosts(place) >= 23_002 }
            #expect(try await Self.deletedPosts(place) == 23_002)
        }
    }

    @Test("an account for a single transaction is measured first where a table may be large and has an index")
    func measuredFirst() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            try await place.fixture.run("INSERT INTO posts SELECT n, 1, 'text' FROM generate_series(1000, 23999) AS s (n)")
            #expect(try #require(Self.single(place.engine)).sizing != nil)
            let outcome = try #require(try await place.engine.erase(["1"]).first)
            #expect(outcome.receipt != nil)
            #expect(try await place.fixture.count("posts") == 4)
            try await eventually { try await Self.deletedPosts(place) >= 23_002 }
            #expect(try await Self.deletedPosts(place) == 23_002)
            // Known as small.
            try await place.fixture.run("VACUUM ANALYZE posts")
            let small = try await place.fixture.engine(try await WorkerFixture.plan(place.fixture))
            #expect(try #require(Self.single(small)).sizing == nil)
            #expect(try await small.erase(["2"]).first?.receipt != nil)
        }
        try await WorkerFixture.with(.postgresql) { place in
            try await place.fixture.run("DROP INDEX by_author")
            let slow = try await place.fixture.engine(try await WorkerFixture.plan(place.fixture))
            #expect(try #require(Self.single(slow)).sizing == nil)
        }
    }

    private static func single(_ engine: ErasureEngine) -> RowProgram.SingleTransaction? {
        engine.context(.init()).prepared.programForOne.singleTransaction
    }

    private static func deletedPosts(_ place: WorkerFixture) async throws -> Int {
        let rows = try await place.fixture.rows("SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'posts'")
        return rows.first.flatMap { Int($0) } ?? 0
    }

    @Test(
        "the deletes of a single transaction take a second at most, and its other statements as long as the connection allows",
        arguments: [("0", "1s"), ("7s", "1s"), ("300ms", "300ms")])
    func bounded(_ former: String, _ during: String) async throws {
        try await WorkerFixture.with(.postgresql) { place in
            let control = place.engine.context(.init()).control
            let seen = try await place.fixture.database.withConnection { connection in
                let shown = SQLStatement("SHOW statement_timeout")
                let results = try await connection.pipeline([
                    control.begin, SQLStatement("SET LOCAL statement_timeout = '\(former)'"), control.boundDeletes, shown,
                    control.unboundDeletes, shown, control.rollback,
                ])
                return results.compactMap(\.scalar?.text)
            }
            #expect(seen.contains(during) && seen.last == former, "\(seen)")
        }
    }
}
