// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation

/// What the comparison of changed rows with the prediction costs (PL-5).
///
/// By turns with the same erasures under a role for which the database counts no changed rows (`track_counts = off`)
/// and which may not switch the counting on: there Farewell compares nothing. Both roles have the same rights.
struct GuardCost: Comparison {
    let name = "guard"
    let title = "accounts of coachme whose changed rows are compared with the prediction, beside those without"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let each = world.isQuick ? 100 : 1_000
        let size = world.isQuick ? 200 : 500
        let people = try SamplePeople(
            .coachme, people: QueueRace.people(size: size, rounds: world.rounds, runners: 2) + each * 2 + 200)
        return try await world.withPeople(people) { store in
            try await withRoles(in: store) { guarded, bare in
                var queue = PeopleQueue(people)
                return [
                    try await oneByOne(guarded, bare, each, in: store, &queue),
                    try await grouped(guarded, bare, size, in: store, &queue),
                ]
            }
        }
    }

    private func oneByOne(
        _ guarded: PostgreSQLDatabase, _ bare: PostgreSQLDatabase, _ each: Int, in store: PeopleDatabase,
        _ queue: inout PeopleQueue
    ) async throws -> Report.Line {
        let (watching, blind) = (try await store.engine(on: guarded), try await store.engine(on: bare))
        guard watching.countsChanges, !blind.countsChanges else {
            throw FarewellError("bench.guard", .ours, "The comparison is not switched off by the role.")
        }
        for key in try queue.take(30) { try await watching.eraseAll([key], options: .init()) }
        for key in try queue.take(30) { try await blind.eraseAll([key], options: .init()) }
        var (ours, theirs) = (Latencies(), Latencies())
        for turn in 0..<each {
            let keys = try queue.take(2)
            // The order alternates, because the first of two finds its pages outside the caches.
            if turn.isMultiple(of: 2) {
                try await theirs.time { try await blind.eraseAll([keys[0]], options: .init()) }
                try await ours.time { try await watching.eraseAll([keys[1]], options: .init()) }
            } else {
                try await ours.time { try await watching.eraseAll([keys[1]], options: .init()) }
                try await theirs.time { try await blind.eraseAll([keys[0]], options: .init()) }
            }
        }
        return Report.Line(
            what: "one account, complete, p50", ours: ours.text, baseline: theirs.text,
            ratio: ours.median / theirs.median, target: .atMost(1.05))
    }

    private func grouped(
        _ guarded: PostgreSQLDatabase, _ bare: PostgreSQLDatabase, _ size: Int, in store: PeopleDatabase,
        _ queue: inout PeopleQueue
    ) async throws -> Report.Line {
        let (watching, blind) = (try await store.engine(on: guarded), try await store.engine(on: bare))
        let options = ErasureOptions(groupSize: 50, concurrency: 1)
        let rates = try await QueueRace(
            store: store, size: size, rounds: store.world.rounds,
            runners: [
                .init(name: "guarded") { try await watching.eraseAll($0, options: options) },
                .init(name: "bare") { try await blind.eraseAll($0, options: options) },
            ]
        ).run(&queue)
        return QueueRace.line(
            "a queue of \(size) accounts by 50", rates, ours: "guarded", baseline: "bare", target: .atLeast(0.95))
    }

    /// Lends a connection under each of two roles that have the rights of the server's own user.
    private func withRoles<Value>(
        in store: PeopleDatabase, _ body: (PostgreSQLDatabase, PostgreSQLDatabase) async throws -> Value
    ) async throws -> Value {
        let roles = [GuardedRole(countsChanges: true), GuardedRole(countsChanges: false)]
        let server = try store.connect(1)
        // Farewell's tables belong to the server's own user, and so to both roles.
        _ = try await store.engine(on: server)
        let owner =
            try await server.withConnection { try await $0.run("SELECT quote_ident(current_user)").scalar?.text }
            ?? "CURRENT_USER"
        for role in roles {
            for statement in role.creation(asMemberOf: owner) { try await store.world.administer(statement) }
        }
        let databases = try roles.map { try $0.connect(to: store) }
        let value: Value
        do {
            value = try await body(databases[0], databases[1])
        } catch {
            // The server is thrown away after the run: a failed comparison leaves its roles.
            for database in databases { await database.close() }
            throw error
        }
        for database in databases { await database.close() }
        try await server.withConnection { connection in
            for role in roles {
                try await connection.run(SQLStatement("REASSIGN OWNED BY \(role.name) TO \(owner)"))
                try await connection.run(SQLStatement("DROP OWNED BY \(role.name)"))
            }
        }
        await server.close()
        for role in roles { try await store.world.administer("DROP ROLE \(role.name)") }
        return value
    }
}

/// A role with the rights of another, with or without the database's counting of changed rows.
private struct GuardedRole {
    let countsChanges: Bool
    let name = "bench_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    private let password = UUID().uuidString

    init(countsChanges: Bool) { self.countsChanges = countsChanges }

    func creation(asMemberOf owner: String) -> [String] {
        ["CREATE ROLE \(name) LOGIN PASSWORD '\(password)'", "GRANT \(owner) TO \(name)"]
            + (countsChanges ? [] : ["ALTER ROLE \(name) SET track_counts = off"])
    }

    func connect(to store: PeopleDatabase) throws -> PostgreSQLDatabase {
        var parts = URLComponents(string: store.world.address(of: store.name))
        parts?.user = name
        parts?.password = password
        return try PostgreSQLDatabase(
            url: parts?.string ?? "", configuration: PostgreSQLConfiguration(maximumConnections: 1))
    }
}
