// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// Erases, or empties, retained rows of an erasure after their last day.
///
/// A piece is one transaction: rows, audit log, and the end of its sealed data. So it happens once, despite other
/// workers and crashes. Rows of one piece may refer to rows of another: a piece that others hold is tried again behind
/// them, and pieces that hold each other end in one transaction. A piece that fails then rests for a
/// day and is reported; after a temporary failure it rests for ten minutes. So no piece keeps others waiting.
struct Retainer: Duty {
    let workers: ErasureWorkers
    let name = "Ending retentions"
    let pause = 300

    private static let atOnce = 100
    private static let rest = 86_400
    private static let shortRest = 600

    private var engine: ErasureEngine { workers.engine }
    private var control: ControlStore { engine.control }

    /// The outcome for a piece.
    private struct End {
        let piece: DueRetention
        let changed: Int
        /// Rows that are no longer the retained ones.
        let strangers: Int
    }

    func perform() async throws {
        while !Task.isCancelled, engine.unfit == nil {
            guard let now = try await engine.clock.decisive() else { return }
            let today = CalendarDay(now)
            let ripe = try await control.retentions.ripe(on: today, limit: Self.atOnce).run(in: engine.database)
            let held = try await endOrHold(childrenFirst(ripe))
            let rest = try await endOrHold(childrenFirst(held.reversed()))
            for pieces in Dictionary(grouping: rest, by: \.erasure).values { try await endTogether(pieces, on: today) }
            if ripe.count < Self.atOnce { return }
        }
    }

    /// Rows that refer to others go before them.
    private func childrenFirst(_ pieces: [DueRetention]) -> [DueRetention] {
        let graph = engine.prepared.program.graph
        let places = graph.deletionGroups.joined().map { graph.nodes[$0].place }
        let order = Dictionary(zip(places, 0...)) { first, _ in first }
        return pieces.enumerated().sorted { left, right in
            (order[left.element.place] ?? 0, left.offset) < (order[right.element.place] ?? 0, right.offset)
        }.map(\.element)
    }

    /// Ends pieces one by one, and returns those that rows of other pieces may hold.
    private func endOrHold(_ pieces: [DueRetention]) async throws -> [DueRetention] {
        var held: [DueRetention] = []
        for piece in pieces {
            do {
                report(try await ended([piece]))
            } catch let error as FarewellError where Self.mayBeHeld(error) {
                held.append(piece)
            } catch let error as FarewellError {
                // Without a connection this fails too, and ends the pass.
                try await postpone(piece, error)
            }
        }
        return held
    }

    /// Ends pieces of one erasure that hold each other; if that does not succeed, together with all its due pieces,
    /// which may be more than were read.
    private func endTogether(_ held: [DueRetention], on today: CalendarDay) async throws {
        let all = try await control.retentions.ripe(of: held[0].erasure, on: today).run(in: engine.database)
        var trouble: FarewellError?
        for pieces in all.count > held.count ? [held, all] : [held] {
            do {
                report(try await ended(childrenFirst(pieces)))
                return
            } catch let error as FarewellError {
                trouble = trouble ?? error
            }
        }
        for piece in held { if let trouble { try await postpone(piece, trouble) } }
    }

    /// Whether rows of another piece may be the reason: they refer to the deleted ones, or a key deletes them as well.
    private static func mayBeHeld(_ error: FarewellError) -> Bool {
        ["sql.23503", "sql.23001", GuardFailure.unpredicted.rawValue].contains(error.code.rawValue)
    }

    private func postpone(_ piece: DueRetention, _ error: FarewellError) async throws {
        let isTemporary = error.family == .tryAgain
        try await engine.database.run(
            control.retentions.postpone(
                piece.erasure, piece: piece.number, trouble: "\(error)", isTemporary: isTemporary,
                seconds: isTemporary ? Self.shortRest : Self.rest))
        engine.environment.log.error(
            "A retention could not be ended; it is tried again \(isTemporary ? "in ten minutes" : "tomorrow").",
            metadata: [
                "erasure": "\(piece.erasure.text)", "place": "\(piece.place)",
                "code": "\(error.code.rawValue)",
            ])
    }

    private func report(_ ends: [End]) {
        for end in ends {
            engine.environment.log.info(
                "A retention ended, and its rows were erased or anonymised.",
                metadata: [
                    "erasure": "\(end.piece.erasure.text)", "place": "\(end.piece.place)",
                    "rows": "\(end.changed)",
                ])
            guard end.strangers > 0 else { continue }
            engine.environment.log.warning(
                "Rows with the keys of retained rows stayed: they belong to another user by now, or have another date.",
                metadata: [
                    "erasure": "\(end.piece.erasure.text)", "place": "\(end.piece.place)",
                    "rows": "\(end.strangers)",
                ])
        }
    }

    /// Ends pieces of one erasure in one transaction, those that no other worker has.
    private func ended(_ pieces: [DueRetention]) async throws -> [End] {
        let control = control
        let audit = AuditLog(control: control)
        return try await engine.database.transaction { connection -> [End] in
            let prepared = engine.prepared
            var taken: [(piece: DueRetention, subjectHash: String?, ending: RetentionEnding)] = []
            for piece in pieces {
                let taking = control.retentions.take(piece.erasure, piece: piece.number)
                guard let data = try await taking.run(on: connection) else { continue }
                let ending = RetentionEnding(
                    plan: prepared.plan, schema: prepared.schema, graph: prepared.program.graph,
                    handle: try handle(piece.erasure, data))
                taken.append((piece, data.subjectHash, ending))
            }
            guard !taken.isEmpty else { return [] }
            var strangers: [Int] = []
            for (_, _, ending) in taken {
                strangers.append(try await connection.pipeline(try ending.strangers()).reduce(0) { $0 + $1.rows.count })
            }
            let watch = ChangeGuard(prepared)
            let before = try await connection.pipeline(watch.beginning).last
            // Retained rows may refer to each other.
            if prepared.schema.dialect.defersEveryKey { try await connection.run(control.deferKeys) }
            let changed = try await Self.change(taken.map(\.ending), on: connection)
            let rows = zip(taken, changed).compactMap { one, number in
                TableName(parsing: one.piece.place).map {
                    ChangeGuard.EndedRows(table: $0, areErased: one.ending.erasesRows, number: number)
                }
            }
            try await watch.requireEnding(rows, from: before, on: connection)
            for (piece, _, ending) in taken {
                let left = try await connection.pipeline(try ending.leftovers()).contains { !$0.rows.isEmpty }
                guard !left else { throw Self.left(piece.place) }
            }
            var ends: [End] = []
            var acts: [AuditLog.Act] = []
            for (place, one) in taken.enumerated() {
                let end = End(piece: one.piece, changed: changed[place], strangers: strangers[place])
                ends.append(end)
                acts.append(
                    AuditLog.Act(
                        act: "retention.ended", erasure: end.piece.erasure, subjectHash: one.subjectHash,
                        details: [
                            "place": end.piece.place, "rows": "\(end.changed)", "strangers": "\(end.strangers)",
                        ]))
            }
            let now = engine.environment.now()
            let ending = ends.map {
                control.retentions.end($0.piece.erasure, piece: $0.piece.number, changed: $0.changed, at: now)
            }
            try await audit.append(acts, beside: ending, actor: "retainer", at: now, on: connection)
            return ends
        }
    }

    /// The numbers of changed rows, one for each ending.
    private static func change(_ endings: [RetentionEnding], on connection: any SQLConnection) async throws -> [Int] {
        let erasing = endings.indices.filter { endings[$0].erasesRows }
        let isJoined = RetentionEnding.canDelete(together: erasing.map { endings[$0] })
        // Otherwise a key may delete a row with another one before its own statement does.
        let isInTurn = connection.dialect.defersEveryKey || erasing.count > 1 && !isJoined
        var changed = endings.map { _ in 0 }
        var found: [Int: Int] = [:]
        for place in endings.indices where isInTurn && endings[place].areTakenByKeys {
            found[place] = try await connection.pipeline(try endings[place].leftovers()).count { !$0.rows.isEmpty }
        }
        for place in endings.indices where !isJoined || !endings[place].erasesRows {
            changed[place] = try await connection.pipeline(try endings[place].changes()).reduce(0) { $0 + $1.affected }
        }
        changed = changed.indices.map { found[$0] ?? changed[$0] }
        guard isJoined, let deletion = try RetentionEnding.deletion(together: erasing.map { endings[$0] }) else {
            return changed
        }
        let counts = try await connection.run(deletion).rows.first ?? []
        for (place, count) in zip(erasing, counts) { changed[place] = Int(count.integer ?? 0) }
        return changed
    }

    private func handle(_ erasure: UUID, _ taken: ClaimedRetention) throws -> RetainedHandle {
        guard let wrapped = taken.wrappedKey, let sealed = taken.sealed else { throw SubjectSeal.unreadable(erasure) }
        let seal = try engine.keys.seal(run: erasure, wrappedKey: Data(wrapped))
        return try JSONDecoder().decode(RetainedHandle.self, from: try seal.open(Data(sealed)))
    }

    private static func left(_ place: String) -> FarewellError {
        FarewellError(
            "retention.rows-left", .yoursToFix, "Rows of \(place) were still present after their erasure.",
            remedy: "Find the program that writes them again.")
    }
}
