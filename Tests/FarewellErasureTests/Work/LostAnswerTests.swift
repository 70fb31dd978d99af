// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A database that loses the answer of the n-th commit from now on, which may or may not have happened.
final class CutDatabase: SQLDatabase {
    enum Commit: Sendable, CaseIterable { case happened, didNot }

    private let database: any SQLDatabase
    private let state: Guarded<(left: Int, commit: Commit)>

    init(_ database: any SQLDatabase, after commits: Int, _ commit: Commit) {
        self.database = database
        state = Guarded((commits, commit))
    }

    var dialect: SQLDialect { database.dialect }
    var wasCut: Bool { state.withLock { $0.left <= 0 } }

    func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        try await database.withConnection { try await body(Connection(connection: $0, database: self)) }
    }

    func close() async {}

    /// How the commit goes that is about to be sent; `nil` is as ever.
    fileprivate func next() -> Commit? {
        state.withLock { state in
            state.left -= 1
            return state.left == 0 ? state.commit : nil
        }
    }

    private struct Connection: SQLConnection {
        let connection: any SQLConnection
        let database: CutDatabase

        var dialect: SQLDialect { connection.dialect }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            guard statement.text == "COMMIT", let cut = database.next() else { return try await connection.run(statement) }
            if cut == .happened { _ = try await connection.run(statement) }
            throw Self.lost
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            guard statements.last?.text == "COMMIT", let cut = database.next() else {
                return try await connection.pipeline(statements)
            }
            _ = try await connection.pipeline(cut == .happened ? statements : statements.dropLast())
            throw Self.lost
        }

        static let lost = FarewellError("sql.08006", .tryAgain, "The connection was lost.")
    }
}

@Suite("Lost answers")
struct LostAnswerTests {
    @Test(
        "BX-4 F4 P2 after any unanswered commit of a worker the state is read again, work continues, and no step repeats",
        arguments: SQLDialect.allCases, CutDatabase.Commit.allCases)
    func commits(_ dialect: SQLDialect, _ commit: CutDatabase.Commit) async throws {
        try await WorkerFixture.with(dialect, people: 20) { place in
            let plan = try await WorkerFixture.plan(place.fixture)
            var cuts = 0
            for point in 1...18 {
                let subject = "\(point)"
                let asked = try await place.requests().request(subject)
                let engine = try await place.fixture.engine(plan, owner: "here:9:cut")
                let database = CutDatabase(place.fixture.database, after: point, commit)
                let worker = ErasureWorkers(engine.on(database), rules: WorkerFixture.brisk)
                if let claimed = await worker.claimed(), !claimed.isEmpty {
                    await worker.batch { _ in }.carryOut(claimed)
                }
                cuts += database.wasCut ? 1 : 0
                try await place.ripen()
                let rescuer = try await place.again(owner: "here:3:c", dead: ["here:9:cut"])
                try await rescuer.working {
                    let ended = try await place.requests().wait(for: asked.erasure.id, atMost: 60)
                    #expect(ended?.state == .done, "\(point)")
                }
                #expect(try await place.fixture.count("people") == 20 - point, "\(point)")
                #expect(try await place.fixture.count("posts") == 40 - 2 * point, "\(point)")
                #expect(
                    try await place.engine.openReceipt(of: asked.erasure.id).erased == ["people": 1, "posts": 2], "\(point)")
                if !database.wasCut { break }
            }
            #expect(cuts >= 2, "an erasure has more commits than \(cuts)")
            let ends = try await place.fixture.rows("SELECT entry FROM \(place.fixture.control("audit"))").filter {
                $0.contains("erasure.done")
            }
            let done = try await place.states().count
            #expect(ends.count == done)
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("ledger"))") == ["\(done)"])
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test("F6 P2 a rescuer that read its state before an erasure ended finds it ended, and changes nothing", arguments: SQLDialect.allCases)
    func staleLook(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let asked = try await place.requests().request("1")
            let killed = try await place.again(owner: "here:2:dead")
            let seen = try #require(await killed.workers().claimed())
            let first = try await place.again(owner: "here:3:c", dead: ["here:2:dead"])
            try await first.working { _ = try await place.requests().wait(for: asked.erasure.id, atMost: 60) }
            let before = try await place.fixture.everything()
            let record = try await place.fixture.rows("SELECT * FROM \(place.fixture.control("erasures"))")
            let late = try await place.again(owner: "here:4:d", dead: ["here:2:dead"])
            for record in seen { await late.workers().batch { _ in }.takeUp(record) }
            #expect(try await place.fixture.rows("SELECT * FROM \(place.fixture.control("erasures"))") == record)
            #expect(try await place.fixture.everything() == before)
            #expect(try await place.engine.verifyAudit() == 2)
        }
    }
}

extension ErasureEngine {
    /// The same on another way to its database.
    func on(_ database: any SQLDatabase) -> ErasureEngine {
        ErasureEngine(
            database: database, prepared: prepared, control: control, keys: keys, environment: environment)
    }
}
