// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import Logging
import TestFixtures

/// People who ask twice to be erased, from two devices, and three workers, in one simulation.
struct SimulatedService: Sendable {
    /// A database with people in it, of which each simulation gets a copy.
    let fixture: EngineFixture
    let prepared: PreparedPlan
    let control: ControlStore

    static let people = 6
    static let leaving = 4
    private static let workers = 3

    /// The result of a simulation.
    struct Outcome: Sendable {
        let history: [String]
        /// Which promises were broken.
        let broken: [String]
    }

    /// Lends one.
    static func with(_ use: (SimulatedService) async throws -> Void) async throws {
        try await WorkerFixture.with(.sqlite, people: people) { place in
            _ = try await place.fixture.database.withConnection { try await $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
            try await use(
                SimulatedService(fixture: place.fixture, prepared: place.engine.prepared, control: place.engine.control))
        }
    }

    func run(_ seed: UInt64, rewriting: @escaping @Sendable (String) -> String = { $0 }) async throws -> Outcome {
        let folder = fixture.folder + "/seed-\(seed)-\(UInt32.random(in: .min ... .max))"
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        try files.copyItem(atPath: fixture.address, toPath: folder + "/fixture.sqlite")
        try files.copyItem(atPath: fixture.state, toPath: folder + "/state")
        let keys = try KeyStore.existing(in: .existing(at: folder + "/state"))
        let database = try SQLiteDatabase(
            path: folder + "/fixture.sqlite", configuration: SQLiteConfiguration(access: .createIfMissing))
        let simulation = Simulation(seed: seed)
        let answers = Guarded<[Int: Set<UUID>]>([:])
        let isOver = await simulation.run(Simulation.firstWorker + Self.workers) { process in
            let environment = Self.environment(seed, process, simulation)
            let seen = SimulatedDatabase(
                database: database, simulation: simulation, process: process, rewriting: rewriting)
            let engine = ErasureEngine(
                database: seen, prepared: prepared, control: control, keys: keys, environment: environment)
            if process < Simulation.firstWorker {
                await Self.ask(engine, as: process, answers)
            } else {
                await Self.work(engine, while: { simulation.isAlive(process) })
            }
        }
        let engine = ErasureEngine(
            database: database, prepared: prepared, control: control, keys: keys,
            environment: Self.environment(seed, -1, simulation))
        var broken = isOver ? [] : ["it did not come to its end"]
        do {
            broken += try await brokenPromises(engine, answers.withLock { $0 })
        } catch {
            broken.append("\(error)")
        }
        await database.close()
        return Outcome(history: simulation.history, broken: broken)
    }

    private static func environment(_ seed: UInt64, _ process: Int, _ simulation: Simulation) -> EngineEnvironment {
        let own = Guarded(SplitMix(state: seed &* 1_000 &+ UInt64(process + 1)))
        var environment = EngineEnvironment(
            now: { simulation.now },
            makeIdentifier: {
                let numbers = own.withLock { own in [own.next(), own.next()] }
                let hex = numbers.map { String(format: "%016llx", $0) }.joined()
                let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(Array(hex)[$0]) }
                return UUID(uuidString: parts.joined(separator: "-")) ?? UUID()
            },
            sleep: { try await simulation.pause(process, for: $0) }, owner: "here:\(process):s",
            isDead: { owner in owner.split(separator: ":").dropFirst().first.flatMap { Int($0) }.map(simulation.isKnownDead) ?? false },
            log: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() },
            chance: { own.withLock { Double($0.number(in: 0...1_000)) / 1_000 } })
        environment.uninterrupted = { await $0() }
        environment.uptime = { simulation.uptime }
        environment.boot = "simulation"
        return environment
    }

    // MARK: Processes

    /// Requests all erasures, until each is answered, under one key.
    private static func ask(_ engine: ErasureEngine, as process: Int, _ answers: Guarded<[Int: Set<UUID>]>) async {
        let requests = ErasureRequests(engine, rules: ServiceRules(secondLook: 0))
        for person in 1...leaving {
            for _ in 1...100 {
                let asking = ErasureRequest(idempotencyKey: "\(process)/\(person)")
                if let answer = try? await requests.request("\(person)", asking) {
                    answers.withLock { _ = $0[person, default: []].insert(answer.erasure.id) }
                    break
                }
                try? await engine.environment.sleep(.seconds(1))
            }
            try? await engine.environment.sleep(.milliseconds(Int(engine.environment.chance() * 4_000)))
        }
    }

    /// A worker task and the rescuer, by turns, until all subjects are erased.
    private static func work(_ engine: ErasureEngine, while isAlive: @Sendable () -> Bool) async {
        let workers = ErasureWorkers(engine, rules: ServiceRules(secondLook: 0, batch: 2))
        let batch = workers.batch { _ in }
        let rescuer = Rescuer(workers: workers)
        while isAlive() {
            if let claimed = await workers.claimed(), !claimed.isEmpty {
                await batch.carryOut(claimed)
            } else {
                try? await rescuer.rescue()
            }
            let states = try? await engine.control.requests.newest(limit: 100).run(in: engine.database).map(\.state)
            if states?.filter({ $0 == .done }).count == leaving { return }
            try? await engine.environment.sleep(.seconds(1))
        }
    }

    // MARK: Promises

    private func brokenPromises(_ engine: ErasureEngine, _ answers: [Int: Set<UUID>]) async throws -> [String] {
        var broken: [String] = []
        func expect(_ isKept: Bool, _ what: @autoclosure () -> String) { if !isKept { broken.append(what()) } }
        func rows(_ text: String) async throws -> [String] {
            try await engine.database.withConnection { connection in
                try await connection.run(SQLStatement(text)).rows.map { row in row.map { $0.text ?? "\($0)" }.joined(separator: " ") }
            }
        }
        func count(_ act: String) async throws -> Int {
            try await rows("SELECT entry FROM farewell_audit").count { $0.contains("\"\(act)\"") }
        }
        let statuses = try await engine.statuses()
        expect(statuses.count == Self.leaving, "P4 \(statuses.count) erasures of \(Self.leaving) people")
        expect(statuses.allSatisfy { $0.erasure.state == .done }, "P1 \(statuses.map(\.erasure.state))")
        expect(
            answers.count == Self.leaving && answers.values.allSatisfy { $0.count == 1 }, "P4 two answers about one person")
        let stay = (Self.leaving + 1...Self.people).map { "\($0) p\($0)@example.org" }
        let left = try await rows("SELECT * FROM people ORDER BY id")
        expect(left == stay, "people: \(left)")
        let posts = (Self.leaving + 1...Self.people).flatMap { ["\($0)0 \($0) a", "\($0)1 \($0) b"] }
        expect(try await rows("SELECT * FROM posts ORDER BY id") == posts, "another user's posts were changed")
        for (act, times) in [("erasure.accepted", Self.leaving), ("erasure.done", Self.leaving), ("erasure.parked", 0)] {
            let found = try await count(act)
            expect(found == times, "P2 \(act) \(found) times")
        }
        for status in statuses where status.erasure.state == .done {
            let erased = try await engine.openReceipt(of: status.erasure.id).erased
            expect(erased == ["people": 1, "posts": 2], "P2 a receipt over \(erased)")
        }
        expect(try await rows("SELECT count(*) FROM farewell_ledger") == ["\(Self.leaving)"], "the ledger")
        expect(try await rows("SELECT id FROM farewell_erasures WHERE owner IS NOT NULL").isEmpty, "a worker still holds a lease")
        _ = try await engine.verifyAudit()
        return broken
    }
}
