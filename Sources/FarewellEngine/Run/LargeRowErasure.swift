// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Erases the rows of one person who has a great many, in pieces, each with its record in a transaction of
/// its own, so that other people's work never waits long.
struct LargeRowErasure: Sendable {
    let rows: RowErasure
    let environment: EngineEnvironment
    let observe: ErasureObserver
    /// Measures how long a piece took.
    var clock: any Clock<Duration> = ContinuousClock()

    private var prepared: PreparedPlan { rows.prepared }
    private var control: ControlStore { rows.control }
    private var dialect: SQLDialect { prepared.schema.dialect }

    /// How long a piece should take; its size follows what was measured.
    private static let wanted = Duration.milliseconds(80)

    /// Applies the part's effects one by one, going on after those that the stored cursor says are finished.
    func apply(
        _ part: RowErasure.Part, to member: ErasureMember, from stored: StepProgress?, on database: any SQLDatabase
    )
        async throws -> [String: Int]
    {
        var progress = stored ?? StepProgress(effect: 0, counts: [:])
        for (position, effect) in prepared.programForOne.pieces(of: part.scope).enumerated()
        where position >= progress.effect {
            try await database.withConnection { connection in
                try await rows.guarded([member], on: connection) {
                    if let node = effect.nodes.first, let chunks = effect.chunks {
                        try await piecewise(chunks, node, part, member, &progress, on: connection)
                    } else {
                        try await whole(effect, part, member, &progress, on: connection)
                    }
                }
            }
            progress.effect = position + 1
            try await record(progress, part, member, on: database)
        }
        try await database.withConnection { connection in
            try await finish(progress, part, member, on: connection)
        }
        return progress.counts
    }

    /// An effect that cannot be divided: tables that restrict each other, or the subject's own row.
    private func whole(
        _ effect: RowProgram.Effect, _ part: RowErasure.Part, _ member: ErasureMember, _ progress: inout StepProgress,
        on connection: any SQLConnection
    ) async throws {
        let values = prepared.values([member])
        let opening = rows.opening([member])
        // Counted before: what a statement says it changed leaves out what the database's own cascade took.
        let statements = ([prepared.programForOne.counts] + effect.statements).map {
            $0.bound(values, dialect: dialect)
        }
        let counts = RowErasure.byPlace(try await connection.pipeline(opening + statements)[opening.count])
        for node in effect.nodes { add(counts[name(of: node)] ?? 0, of: node, to: &progress) }
        _ = try await connection.pipeline([control.store(progress, step: part.step, of: member.id), control.commit])
    }

    private func name(of node: Int) -> String { prepared.program.graph.nodes[node].place }

    private func piecewise(
        _ chunks: RowChunks, _ node: Int, _ part: RowErasure.Part, _ member: ErasureMember,
        _ progress: inout StepProgress, on connection: any SQLConnection
    ) async throws {
        var size = 2_000
        // Rows that stay are gone through from the first again after an interruption.
        if prepared.program.graph.nodes[node].rule != .erase { progress.counts[name(of: node)] = nil }
        if let places = chunks.places { try await openCursor(places, member, on: connection) }
        while true {
            try Task.checkCancellation()
            guard let change = try await nextChange(chunks, member, size: size, on: connection) else { break }
            let opening = rows.opening([member])
            let asked = size
            var changed = 0
            let took = try await clock.measure {
                changed = try await connection.pipeline(opening + [change])[opening.count].affected
                add(changed, of: node, to: &progress)
                _ = try await connection.pipeline([
                    control.store(progress, step: part.step, of: member.id),
                    control.renew([member], owner: rows.owner), control.commit,
                ])
            }
            size = Self.nextSize(size, took: took)
            let done = progress.counts.values.reduce(0, +)
            await observe(
                .init(erasure: member.id, event: .advanced(step: part.step, done: done, of: max(member.size, done))))
            // A piece that is not full was the last: who keeps writing is met by reading back, not followed for ever.
            if chunks.places == nil, changed < asked { break }
        }
        if chunks.places != nil { try await connection.run("CLOSE farewell_places") }
        tellAll(of: node, member, &progress)
    }

    /// Rows that stay and lost their link are not found again after an interruption; those changed before it
    /// count all the same. How many there were was counted when the erasure was accepted.
    private func tellAll(of node: Int, _ member: ErasureMember, _ progress: inout StepProgress) {
        let name = name(of: node)
        guard prepared.program.graph.nodes[node].rule != .erase, let all = member.subject.counts[name] else { return }
        progress.counts[name] = max(progress.counts[name] ?? 0, all)
    }

    /// Lists the rows' places once; the list outlives the transaction it is made in.
    private func openCursor(_ places: RowStatement, _ member: ErasureMember, on connection: any SQLConnection)
        async throws
    {
        var statement = places.bound(prepared.values([member]), dialect: dialect)
        statement.text = "DECLARE farewell_places NO SCROLL CURSOR WITH HOLD FOR \(statement.text)"
        // An interrupted run leaves its list behind on a connection that is lent again.
        try await connection.run("CLOSE ALL")
        try await connection.run(statement)
    }

    private func nextChange(
        _ chunks: RowChunks, _ member: ErasureMember, size: Int, on connection: any SQLConnection
    ) async throws -> SQLStatement? {
        var change = chunks.change.bound(prepared.values([member], limit: size), dialect: dialect)
        guard chunks.places != nil else { return change }
        let places = try await connection.run(SQLStatement("FETCH \(size) FROM farewell_places")).rows.compactMap(
            \.first)
        guard !places.isEmpty else { return nil }
        change.parameters.append(.array(places))
        return change
    }

    private func add(_ changed: Int, of node: Int, to progress: inout StepProgress) {
        progress.counts[name(of: node), default: 0] += changed
    }

    private func record(
        _ progress: StepProgress, _ part: RowErasure.Part, _ member: ErasureMember, on database: any SQLDatabase
    ) async throws {
        let statements =
            rows.opening([member]) + [
                control.store(progress, step: part.step, of: member.id), control.commit,
            ]
        try await database.withConnection { connection in
            _ = try await rows.guarded([member], on: connection) { try await connection.pipeline(statements) }
        }
    }

    private func finish(
        _ progress: StepProgress, _ part: RowErasure.Part, _ member: ErasureMember, on connection: any SQLConnection
    ) async throws {
        let statements =
            rows.opening([member]) + [
                control.finish(step: part.step, of: member.id, counts: progress.counts, at: environment.now()),
                control.move([member.id], to: part.next), control.commit,
            ]
        _ = try await rows.guarded([member], on: connection) { try await connection.pipeline(statements) }
    }

    /// Twice as many when a piece took less than half of what it may, half as many when it took twice that.
    static func nextSize(_ size: Int, took duration: Duration) -> Int {
        if duration < wanted / 2 { return min(size * 2, 20_000) }
        if duration > wanted * 2 { return max(size / 2, 100) }
        return size
    }
}
