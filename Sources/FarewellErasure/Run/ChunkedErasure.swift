// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Erases the rows of one subject with a large number of them, in chunks, each with its record in a transaction of its
/// own, so that other transactions never wait long.
///
/// On PostgreSQL only the first and the last transaction wait for the disk: if the power fails, a chunk is lost with
/// its record, and is erased again.
struct ChunkedErasure: Sendable {
    let transaction: StepTransaction
    let environment: EngineEnvironment
    let observe: ErasureObserver
    /// Measures how long a chunk took.
    var clock: any Clock<Duration> = ContinuousClock()

    private var prepared: PreparedPlan { transaction.prepared }
    private var control: ControlStore { transaction.control }
    private var dialect: SQLDialect { prepared.schema.dialect }

    /// How long a chunk should take; its size follows what was measured.
    private static let wanted = Duration.milliseconds(80)
    /// The most rows of a chunk with which the database deletes rows of other tables.
    private static let mostTakingOthers = 10_000

    /// Applies the part's effects one by one, after those that the stored cursor marks as finished.
    func apply(
        _ part: RowErasure.Part, to erasure: OpenedErasure, from stored: StepProgress?, on database: any SQLDatabase
    )
        async throws -> [String: Int]
    {
        var progress = StepProgress()
        if let stored {
            progress = stored
        } else {
            progress.counts = try await links(part, of: erasure, on: database)
            progress.cascaded = CascadedTables(part, of: erasure, in: prepared).places
            // The acceptance may not be on the disk yet. The first chunk must not be lost together with it.
            try await record(progress, part, erasure, leavesWaiting: false, on: database)
        }
        var effects = CascadedTables.effects(part, &progress, in: prepared)
        while progress.effect < effects.count {
            let position = progress.effect
            do {
                // Not asked for the parts of an effect: the first of them may delete the subject's own row.
                let isOrphaned = try await isOrphaned(effects[position], part, erasure, on: database)
                try await apply(effects[position], isOrphaned: isOrphaned, part, erasure, &progress, on: database)
                progress.effect = position + 1
            } catch let error as FarewellError where CascadedTables.areTooMany(error, progress) {
                // Then each table is erased separately: only deletes are repeated, and these find no row twice.
                CascadedTables.beginAgain(&progress)
                effects = CascadedTables.effects(part, &progress, in: prepared)
            }
            progress.cursor = nil
            try await record(progress, part, erasure, leavesWaiting: dialect.takesSeveralWriters, on: database)
        }
        try await database.withConnection { connection in
            try await finish(progress, part, erasure, on: connection)
        }
        return progress.counts
    }

    private func apply(
        _ effect: RowProgram.Effect, isOrphaned: Bool, _ part: RowErasure.Part, _ erasure: OpenedErasure,
        _ progress: inout StepProgress, on database: any SQLDatabase
    ) async throws {
        if let division = effect.division, !isOrphaned {
            guard try await !divided(division, part, erasure, &progress, on: database) else { return }
        }
        try await database.withConnection { connection in
            try await transaction.guarded([erasure], on: connection) {
                let effects = try await isIdle(effect, part, erasure, on: connection) ? [] : [effect]
                if isOrphaned {
                    let standIns = try await prepared.standIns(for: erasure, on: connection)
                    try await whole(effects, with: standIns, part, erasure, &progress, on: connection)
                } else if !effects.isEmpty, let chunks = effect.chunks {
                    try await inChunks(chunks, effect, part, erasure, &progress, on: connection)
                } else if !effects.isEmpty {
                    try await whole(effects, part, erasure, &progress, on: connection)
                }
            }
        }
    }

    /// Whether an effect would change the subject's own row, and that row does not exist: then statements do what the
    /// database's keys would do with it.
    private func isOrphaned(
        _ effect: RowProgram.Effect, _ part: RowErasure.Part, _ erasure: OpenedErasure, on database: any SQLDatabase
    ) async throws -> Bool {
        guard part.scope != .leftovers, effect.nodes.contains(prepared.program.graph.root) else { return false }
        let presence = prepared.programForOne.presence.bound(prepared.values([erasure]), dialect: dialect)
        return try await database.run(presence).rows.isEmpty
    }

    /// Deletes rows of a table with a key to itself in chunks; `false` if its rows must be deleted in one statement.
    ///
    /// A chunk fails if a row of a later chunk refers to one of its rows. Then all of them lose that key before they
    /// are deleted. Nothing but deletes is repeated, and these find no row twice.
    private func divided(
        _ division: RowProgram.Division, _ part: RowErasure.Part, _ erasure: OpenedErasure,
        _ progress: inout StepProgress, on database: any SQLDatabase
    ) async throws -> Bool {
        do {
            try await apply(division.deletes, part, erasure, &progress, on: database)
            return true
        } catch let error as FarewellError where ["sql.23503", "sql.23001"].contains(error.code.rawValue) {
            guard !division.freeing.isEmpty else { return false }
        }
        do {
            try await apply(division.freeing + division.deletes, part, erasure, &progress, on: database)
            return true
        } catch let error as FarewellError where error.family != .tryAgain {
            // A check may need the key, or another table. One statement that deletes all tells, if it cannot either.
            return false
        }
    }

    private func apply(
        _ effects: [RowProgram.Effect], _ part: RowErasure.Part, _ erasure: OpenedErasure,
        _ progress: inout StepProgress, on database: any SQLDatabase
    ) async throws {
        for effect in effects {
            progress.cursor = nil
            try await apply(effect, isOrphaned: false, part, erasure, &progress, on: database)
        }
    }

    /// Whether no row is to be changed, and a trigger would fire nevertheless.
    private func isIdle(
        _ effect: RowProgram.Effect, _ part: RowErasure.Part, _ erasure: OpenedErasure, on connection: any SQLConnection
    ) async throws -> Bool {
        guard part.scope != .leftovers, prepared.firesWithoutRows(effect) else { return false }
        let counting = prepared.programForOne.counts.bound(prepared.values([erasure]), dialect: dialect)
        return prepared.isIdle(effect, found: RowCounts.byPlace(try await connection.run(counting)))
    }

    private var linkPlaces: Set<String> { Set(prepared.program.graph.nodes.filter(\.losesLinks).map(\.linkPlace)) }

    /// The number of other subjects' rows that will only lose their link: counted before the first change, because a
    /// row may lose several.
    private func links(
        _ part: RowErasure.Part, of erasure: OpenedErasure, on database: any SQLDatabase
    ) async throws -> [String: Int] {
        let own = prepared.programForOne.places(of: part.scope)
        let places = linkPlaces.filter { own?.contains($0) ?? true }
        guard !places.isEmpty else { return [:] }
        let counting = prepared.programForOne.counts.bound(prepared.values([erasure]), dialect: dialect)
        let counts = RowCounts.byPlace(try await database.run(counting))
        return counts.filter { places.contains($0.key) }
    }

    /// An effect that cannot be divided: tables that restrict each other, rows that refer to each other and must keep
    /// that key, or the subject's own row.
    private func whole(
        _ effects: [RowProgram.Effect], with standIns: [RowProgram.Effect]? = nil, _ part: RowErasure.Part,
        _ erasure: OpenedErasure, _ progress: inout StepProgress, on connection: any SQLConnection
    ) async throws {
        let taken = CountedRowChanges(of: erasure, in: prepared, by: effects, standIns: standIns)
        var parts = StatementParts()
        let found = parts.add([taken.counting])
        let (changed, left) = (parts.add(taken.changes), parts.add([taken.counting]))
        let readBack = parts.add(taken.readingBack)
        var guarded = transaction.changes([erasure], isCounting: true)
        guarded[.changes] = parts.statements
        let sent = guarded.next(through: .readingBack)
        let results = try await connection.pipeline(sent.statements)
        let answers = sent.answers(of: .changes, in: results)
        let rest = left.answers(in: answers).first.map(RowCounts.byPlace) ?? [:]
        let known = found.answers(in: answers).first.map(RowCounts.byPlace) ?? [:]
        try guarded.require(
            taken.evidence(
                changed.answers(in: answers), found: known, left: rest, readBack: readBack.answers(in: answers)),
            sent, results)
        let counts = taken.counts(changed.answers(in: answers), found: known, left: rest)
        for node in effects.flatMap(\.nodes) { add(counts[name(of: node)] ?? 0, of: node, to: &progress) }
        // In the same transaction: an act that must not be repeated is not, wherever it is interrupted.
        progress.effect += 1
        _ = try await connection.pipeline(
            [control.steps.store(progress, step: part.step, of: erasure.id)] + transaction.closing([erasure]))
    }

    private func name(of node: Int) -> String { prepared.program.graph.nodes[node].place }

    /// An effect whose rows count for its node; for none if a link is removed from other subjects' rows.
    private func inChunks(
        _ chunks: RowChunks, _ effect: RowProgram.Effect, _ part: RowErasure.Part, _ erasure: OpenedErasure,
        _ progress: inout StepProgress, on connection: any SQLConnection
    ) async throws {
        let node = effect.nodes.first
        var watched = GuardedChunks(of: effect, in: prepared)
        try await watched.begin(about: erasure, on: connection)
        // Counting around each chunk takes as long for a small chunk as for a large one.
        var size = watched.isCounting ? 10_000 : 2_000
        var listed: ListedPlaces?
        if case .places(let places, _) = chunks {
            // After an interruption, the rows that stay are read again from the first.
            if let node, !isErased(node) { progress.counts[name(of: node)] = nil }
            listed = try await .list(places.bound(prepared.values([erasure]), dialect: dialect), on: connection)
        }
        while true {
            try Task.checkCancellation()
            guard let chunk = try await nextChunk(chunks, progress, erasure, size: size, from: &listed, on: connection)
            else { break }
            let asked = size
            var changed = 0
            let took = try await clock.measure {
                changed = try await take(chunk, effect, part, erasure, &progress, &watched, on: connection)
            }
            if !watched.isCounting {
                size = min(Self.nextSize(size, took: took), effect.takesOthers ? Self.mostTakingOthers : .max)
            }
            let places = node == nil ? linkPlaces : []
            let done = progress.counts.reduce(0) { places.contains($1.key) ? $0 : $0 + $1.value }
            await observe(
                .init(erasure: erasure.id, event: .advanced(step: part.step, done: done, of: max(erasure.size, done))))
            // An incomplete chunk was the last: the reading back finds rows of a program that keeps writing.
            if case .limited = chunks, changed < asked { break }
        }
        try await listed?.close(on: connection)
        if let node { countAll(of: node, erasure, &progress) }
    }

    /// Changes one chunk with its record, and returns how many rows its statement changed.
    private func take(
        _ chunk: Chunk, _ effect: RowProgram.Effect, _ part: RowErasure.Part, _ erasure: OpenedErasure,
        _ progress: inout StepProgress, _ watched: inout GuardedChunks, on connection: any SQLConnection
    ) async throws -> Int {
        var parts = StatementParts()
        let found = parts.add(watched.counting(about: erasure))
        if case .places? = effect.chunks { _ = parts.add([control.boundPiece(takesOthers: effect.takesOthers)]) }
        let change = parts.add([chunk.change])
        let left = parts.add(watched.counting(about: erasure))
        var guarded = transaction.changes([erasure], leavesWaiting: dialect.takesSeveralWriters)
        guarded[.changes] = parts.statements
        let sent = guarded.next(through: .readingBack)
        let results = try await connection.pipeline(sent.statements)
        let answers = sent.answers(of: .changes, in: results)
        let changed = change.answers(in: answers).first?.affected ?? 0
        let evidence = watched.evidence(
            changed: changed, found: found.answers(in: answers).first, left: left.answers(in: answers).first)
        let taken = watched.taken(by: try guarded.require(evidence, sent, results))
        var reached = progress
        reached.cursor = chunk.cursor
        if let node = effect.nodes.first { add(changed, of: node, to: &reached) }
        for (node, rows) in taken { add(rows, of: node, to: &reached) }
        _ = try await connection.pipeline(
            [control.steps.store(reached, step: part.step, of: erasure.id)] + transaction.closing([erasure]))
        progress = reached
        return changed
    }

    private func isErased(_ node: Int) -> Bool { prepared.program.graph.nodes[node].rule.erasesRows }

    /// Rows that stay and lost their link are not found again after an interruption; those changed before it
    /// count all the same. How many there were was counted when the erasure was accepted.
    private func countAll(of node: Int, _ erasure: OpenedErasure, _ progress: inout StepProgress) {
        let name = name(of: node)
        guard !isErased(node), let all = erasure.subject.counts[name] else { return }
        progress.counts[name] = max(progress.counts[name] ?? 0, all)
    }

    /// A change, and how far it leads.
    private typealias Chunk = (change: SQLStatement, cursor: String?)

    /// The next chunk; `nil` if there is no more.
    private func nextChunk(
        _ chunks: RowChunks, _ progress: StepProgress, _ erasure: OpenedErasure, size: Int,
        from listed: inout ListedPlaces?, on connection: any SQLConnection
    ) async throws -> Chunk? {
        let values = prepared.values([erasure], limit: size)
        switch chunks {
        case .limited(let change): return (change.bound(values, dialect: dialect), nil)
        case .places(_, let change):
            let places = try await listed?.next(size, on: connection) ?? []
            guard !places.isEmpty else { return nil }
            var statement = change.bound(values, dialect: dialect)
            statement.parameters.append(.array(places))
            return (statement, nil)
        case .keys(let keys):
            let last = try progress.reached(under: erasure.seal)
            let next = try await connection.run(keys.end(of: size, after: last, values))
            guard let end = next.rows.first else { return nil }
            return (
                keys.piece(after: last, upTo: end, values), try progress.reaching(end, under: erasure.seal).cursor
            )
        }
    }

    private func add(_ changed: Int, of node: Int, to progress: inout StepProgress) {
        progress.counts[name(of: node), default: 0] += changed
    }

    private func record(
        _ progress: StepProgress, _ part: RowErasure.Part, _ erasure: OpenedErasure, leavesWaiting: Bool,
        on database: any SQLDatabase
    ) async throws {
        let statements =
            transaction.opening([erasure], leavesWaiting: leavesWaiting)
            + [control.steps.store(progress, step: part.step, of: erasure.id)] + transaction.closing([erasure])
        try await database.withConnection { connection in
            _ = try await transaction.guarded([erasure], on: connection) { try await connection.pipeline(statements) }
        }
    }

    private func finish(
        _ progress: StepProgress, _ part: RowErasure.Part, _ erasure: OpenedErasure, on connection: any SQLConnection
    ) async throws {
        let statements =
            transaction.opening([erasure]) + [
                control.steps.finish(step: part.step, of: erasure.id, counts: progress.counts, at: environment.now()),
                control.leases.move([erasure.id], to: part.next), control.commit,
            ]
        _ = try await transaction.guarded([erasure], on: connection) { try await connection.pipeline(statements) }
    }

    /// Twice as many when a chunk took less than half of what it may, half as many when it took twice that.
    static func nextSize(_ size: Int, took duration: Duration) -> Int {
        if duration < wanted / 2 { return min(size * 2, 20_000) }
        if duration > wanted * 2 { return max(size / 2, 100) }
        return size
    }
}
