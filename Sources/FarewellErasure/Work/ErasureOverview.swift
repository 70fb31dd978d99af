// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The overall state, for operators.
package struct ErasureOverview: Sendable, Hashable {
    package var counts: [ErasureState: Int] = [:]
    /// The living ones, due first.
    package var due: [RequestedErasure] = []
    /// The erasures that a worker holds.
    package var leased: [ErasureRecord] = []
    package var outbox: [EndpointDeliveries] = []
    package var letters: [DeadLetter] = []
}

extension ErasureRequests {
    /// The overall state.
    package func overview() async throws -> ErasureOverview {
        var overview = ErasureOverview()
        overview.counts = try await run(control.requests.stateCounts)
        overview.due = try await requested(control.requests.dueFirst(limit: 20))
        overview.leased = try await run(control.requests.leased(limit: 50))
        overview.outbox = try await run(control.outbox.counts)
        overview.letters = try await deadLetters()
        return overview
    }

    /// How many unfinished erasures there are in each state.
    package func counts() async throws -> [ErasureState: Int] { try await run(control.requests.liveCounts) }

    /// How many retentions could not be ended after their last day.
    package func countFailingRetentions() async throws -> Int { try await run(control.retentions.countFailing) }

    /// How many erasures were completed in the last 24 hours, and how long they took.
    package func throughput() async throws -> ErasureThroughput {
        try await run(control.requests.throughput(since: engine.environment.now().addingTimeInterval(-86_400)))
    }

    /// How many unfinished erasures are overdue at a time, without those that are parked.
    package func countOverdue(at time: Date) async throws -> Int {
        try await run(control.requests.countOverdue(at: time))
    }

    /// The newest erasures of a state whose number or keyed hash begins as given; empty texts are no condition. The
    /// parked ones have their steps.
    package func found(
        state: String, beginning search: String, limit: Int
    ) async throws -> [RequestedErasure] {
        try await requested(control.requests.found(state: state, beginning: search.lowercased(), limit: limit))
    }

    /// The erasures of a query, the parked ones with their steps.
    private func requested(_ query: StoreQuery<[ErasureRecord]>) async throws -> [RequestedErasure] {
        let records = try await run(query)
        guard !records.isEmpty else { return [] }
        var asked = StatementParts()
        let promises = asked.add(control.requests.promises(of: records.map(\.id)))
        let parked = asked.add(
            control.steps.records(of: records.filter { $0.state == .needsAttention }.map(\.id)))
        let results = try await engine.database.pipeline(asked.statements)
        let (promised, steps) = (try promises.answer(in: results), try parked.answer(in: results))
        return records.map { record in
            RequestedErasure(status: ErasureStatus(record, steps: steps[record.id] ?? [], promised[record.id]))
        }
    }

    /// The last days, today last; a day on which nothing happened is there as well.
    package func days(_ count: Int) async throws -> [ErasureDay] {
        let now = engine.environment.now()
        let names = (0..<count).reversed().map { back in
            String(UTCTime.text(now.addingTimeInterval(Double(-86_400 * back))).prefix(10))
        }
        var days = names.map { ErasureDay(day: $0) }
        guard let first = names.first, let from = UTCTime.date(first + "T00:00:00.000Z") else { return days }
        for found in try await run(control.requests.days(from: from)) {
            guard let index = names.firstIndex(of: found.day) else { continue }
            switch found.kind {
            case "asked": days[index].asked = found.count
            case ErasureState.done.rawValue: days[index].done = found.count
            default: days[index].cancelled = found.count
            }
        }
        for found in try await run(control.requests.failures(from: from)) {
            guard let index = names.firstIndex(of: found.day) else { continue }
            days[index].failures[Self.system(found.kind), default: 0] += found.count
        }
        return days
    }

    /// The system of a step: the database, the files, or a third-party system.
    private static func system(_ step: String) -> String {
        switch StepPlace(step: step) {
        case .system(let name): name
        case .files: "files"
        case .database: "database"
        }
    }

    // MARK: Acting

    /// Releases a parked erasure, under the present plan and schema; workers take it up at once, and the pauses after
    /// further failures begin with the shortest one.
    ///
    /// - Throws: `run.not-parked`, `run.schema-changed`.
    package func release(_ id: UUID, by actor: String) async throws {
        try await release(id, by: actor) { connection in
            try await connection.run(control.leases.forgetFailures(of: id))
            try await connection.run(control.leases.endPause(of: id))
        }
    }

    /// The same with another start.
    ///
    /// - Parameter restart: Decides when workers may take it up, in the same transaction.
    func release(
        _ id: UUID, by actor: String, _ restart: @escaping @Sendable (any SQLConnection) async throws -> Void
    ) async throws {
        let audit = engine.context(ErasureOptions()).audit
        try await engine.database.transaction { connection in
            guard try await engine.unpark(id, on: connection) != nil else { throw ErasureEngine.notParked }
            try await restart(connection)
            let act = AuditLog.Act(act: "erasure.released", erasure: id)
            try await audit.append([act], actor: actor, at: engine.environment.now(), on: connection)
        }
        await wake()
    }

    /// Has an endpoint's dead letters delivered again.
    ///
    /// - Returns: How many.
    public func redeliver(to endpoint: String, by actor: String) async throws -> Int {
        let audit = engine.context(ErasureOptions()).audit
        return try await engine.database.transaction { connection in
            let count = try await control.outbox.revive(endpoint: endpoint).run(on: connection)
            let act = AuditLog.Act(act: "events.redelivered", details: ["endpoint": endpoint, "count": String(count)])
            try await audit.append([act], actor: actor, at: engine.environment.now(), on: connection)
            return count
        }
    }

    /// Notes what an operator did that changes nothing, such as signing in.
    package func note(_ act: String, by actor: String, details: [String: String] = [:]) async throws {
        try await engine.context(ErasureOptions()).audit.record(
            act, erasure: nil, details: details, actor: actor, now: engine.environment.now(), on: engine.database)
    }
}
