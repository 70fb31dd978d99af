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
/// workers and crashes. A piece that fails rests for a day and is reported.
struct Retainer: Duty {
    let workers: ErasureWorkers
    let name = "Ending retentions"
    let pause = 300

    private static let atOnce = 100
    private static let rest = 86_400

    private var engine: ErasureEngine { workers.engine }
    private var control: ControlStore { engine.control }

    func perform() async throws {
        while !Task.isCancelled, engine.unfit == nil {
            guard let now = try await engine.clock.decisive() else { return }
            let ripe = try await control.retentions.ripe(on: CalendarDay(now), limit: Self.atOnce)
                .run(in: engine.database)
            for piece in childrenFirst(ripe) { try await end(piece) }
            if ripe.count < Self.atOnce { return }
        }
    }

    /// Rows that refer to others go before them.
    private func childrenFirst(_ pieces: [KeptPiece]) -> [KeptPiece] {
        let graph = engine.prepared.program.graph
        let places = graph.deletionGroups.joined().map { graph.nodes[$0].place }
        let order = Dictionary(zip(places, 0...)) { first, _ in first }
        return pieces.enumerated().sorted { left, right in
            (order[left.element.place] ?? 0, left.offset) < (order[right.element.place] ?? 0, right.offset)
        }.map(\.element)
    }

    private func end(_ piece: KeptPiece) async throws {
        do {
            guard let end = try await ended(piece) else { return }
            engine.environment.log.info(
                "A retention ended, and its rows were erased or anonymised.",
                metadata: [
                    "erasure": "\(piece.erasure.text)", "place": "\(piece.place)",
                    "rows": "\(end.changed)",
                ])
            guard end.strangers > 0 else { return }
            engine.environment.log.warning(
                "Rows with the keys of retained rows stayed: they belong to another user by now, or have another date.",
                metadata: [
                    "erasure": "\(piece.erasure.text)", "place": "\(piece.place)",
                    "rows": "\(end.strangers)",
                ])
        } catch let error as FarewellError where error.family != .tryAgain {
            try await engine.database.run(
                control.retentions.postpone(piece.erasure, piece: piece.number, trouble: "\(error)", seconds: Self.rest)
            )
            engine.environment.log.error(
                "A retention could not be ended; it is tried again tomorrow.",
                metadata: [
                    "erasure": "\(piece.erasure.text)", "place": "\(piece.place)",
                    "code": "\(error.code.rawValue)",
                ])
        }
    }

    /// The numbers of changed rows, and of rows that are no longer the retained ones; `nil` if another worker has the
    /// piece.
    private func ended(_ piece: KeptPiece) async throws -> (changed: Int, strangers: Int)? {
        let (control, now) = (control, engine.environment.now())
        let audit = AuditLog(control: control)
        return try await engine.database.transaction { connection -> (changed: Int, strangers: Int)? in
            let taking = control.retentions.take(piece.erasure, piece: piece.number)
            guard let taken = try await taking.run(on: connection) else { return nil }
            let prepared = engine.prepared
            let rows = try handle(piece.erasure, taken)
            let ending = RetentionEnding(
                plan: prepared.plan, schema: prepared.schema, graph: prepared.program.graph, handle: rows)
            let changes = try ending.changes()
            let strangers = try await connection.pipeline(try ending.strangers()).reduce(0) { $0 + $1.rows.count }
            let watch = ChangeGuard(prepared)
            let before = try await connection.pipeline(watch.beginning).last
            // Retained rows may refer to each other.
            if prepared.schema.dialect.defersEveryKey { try await connection.run(control.deferKeys) }
            let changed = try await connection.pipeline(changes).reduce(0) { $0 + $1.affected }
            if let table = TableName(parsing: piece.place) {
                try await watch.requireEnding(
                    of: table, erasing: rows.then != Retention.Ending.anonymise.rawValue, rows: changed, from: before,
                    on: connection)
            }
            let left = try await connection.pipeline(try ending.leftovers()).contains { !$0.rows.isEmpty }
            guard !left else { throw Self.left(piece.place) }
            let act = AuditLog.Act(
                act: "retention.ended", erasure: piece.erasure, subjectHash: taken.subjectHash,
                details: ["place": piece.place, "rows": "\(changed)", "strangers": "\(strangers)"])
            let end = control.retentions.end(piece.erasure, piece: piece.number, changed: changed, at: now)
            try await audit.append([act], beside: [end], actor: "retainer", at: now, on: connection)
            return (changed, strangers)
        }
    }

    private func handle(_ erasure: UUID, _ taken: TakenPiece) throws -> RetainedHandle {
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
