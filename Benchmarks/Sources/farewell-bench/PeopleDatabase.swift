// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import FarewellSample
import Foundation
import Logging

/// A PostgreSQL database with people in it, for Farewell and for the bare statements alike.
struct PeopleDatabase: Sendable {
    let world: BenchWorld
    let name: String
    let people: SamplePeople

    /// Connections of their own, not shared.
    func connect(_ connections: Int) throws -> PostgreSQLDatabase {
        try PostgreSQLDatabase(
            url: world.address(of: name), configuration: PostgreSQLConfiguration(maximumConnections: connections))
    }

    /// An engine with a state directory for this database, on connections of its own.
    ///
    /// - Parameter connectors: The connectors of the plan's systems.
    func engine(
        on database: PostgreSQLDatabase, _ connectors: [SystemPlan: any Connector] = [:]
    ) async throws -> ErasureEngine {
        try await BenchEngine.open(
            database, people: people, state: world.folder.appending(path: "state-\(name)").path, connectors)
    }

    /// Brings what earlier rounds left behind out of the way.
    func tidy() async throws {
        let database = try connect(1)
        try await database.withConnection { connection in
            try await connection.run("VACUUM (ANALYZE)")
            try await connection.run("CHECKPOINT")
        }
        await database.close()
    }

    /// How many people are there.
    func count() async throws -> Int {
        let database = try connect(1)
        let count = try await database.withConnection { try await $0.run("SELECT count(*) FROM auth.users").scalar }
        await database.close()
        return Int(count?.integer ?? 0)
    }
}

/// An engine on the example's own plan, without its folders: the baselines delete rows only.
enum BenchEngine {
    static func open(
        _ database: any SQLDatabase, people: SamplePeople, state: String,
        _ connectors: [SystemPlan: any Connector] = [:]
    ) async throws -> ErasureEngine {
        let example = try ExampleFolder(near: [#filePath]).path + "/\(people.profile.rawValue)"
        var plan = try PlanFile.load(path: "\(example)/farewell.\(database.dialect.rawValue).yaml")
        plan.folders = []
        plan.order = Plan.defaultOrder
        plan.systems = connectors.keys.sorted { $0.name < $1.name }
        return try await ErasureEngine.open(
            database, plan: plan, state: state,
            connectors: Dictionary(uniqueKeysWithValues: connectors.map { ($0.key.name, $0.value) }),
            environment: .live(log: Logger(label: "farewell-bench") { _ in SwiftLogNoOpLogHandler() }))
    }
}

extension ErasureEngine {
    /// Erases subjects and ensures that each is done.
    func eraseAll(_ keys: [String], options: ErasureOptions) async throws {
        let outcomes = try await erase(keys, options: options)
        let done = outcomes.filter { if case .done = $0 { true } else { false } }.count
        guard done == keys.count else {
            throw FarewellError(
                "bench.not-done", .ours, "Only \(done) of \(keys.count) erasures were done: \(outcomes.prefix(1)).")
        }
    }
}

/// Hands out unused subjects, in an order that is random and the same in each run.
struct PeopleQueue {
    private var rest: ArraySlice<String>

    init(_ people: SamplePeople, seed: UInt64 = 1) {
        var random = RepeatableNumbers(state: seed)
        // The first subject may have a large number of rows, and is a neighbour in one measurement only.
        rest = (1..<people.people).shuffled(using: &random).map(people.subjectKey)[...]
    }

    mutating func take(_ count: Int) throws -> [String] {
        guard rest.count >= count else {
            throw FarewellError("bench.nobody-left", .ours, "The database has too few people for this measurement.")
        }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// SplitMix64: the same numbers in each run.
struct RepeatableNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
