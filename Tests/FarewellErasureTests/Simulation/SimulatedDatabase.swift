// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A database as one process of a simulation has it: every use of it is a turn, and its clock is the simulation's.
struct SimulatedDatabase: SQLDatabase {
    let database: any SQLDatabase
    let simulation: Simulation
    let process: Int
    /// Changes what is said to the database: how a simulation is tried out that ought to find a fault.
    let rewriting: @Sendable (String) -> String

    var dialect: SQLDialect { database.dialect }

    func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        let fate = try await simulation.turn(of: process)
        defer { simulation.end() }
        if fate == .lostBefore { throw Self.lost }
        let value = try await database.withConnection { try await body(Connection(connection: $0, database: self)) }
        switch fate {
        case .lostAfter: throw Self.lost
        case .killedAfter:
            simulation.kill(process)
            throw Simulation.Killed()
        case .fine, .lostBefore, .killedBefore: return value
        }
    }

    func close() async {}

    private static let lost = FarewellError("sql.08006", .tryAgain, "The connection was lost.")

    private struct Connection: SQLConnection {
        let connection: any SQLConnection
        let database: SimulatedDatabase

        var dialect: SQLDialect { connection.dialect }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            let result = try await connection.run(said(statement))
            note(statement, result)
            return result
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            let results = try await connection.pipeline(statements.map(said))
            for (statement, result) in zip(statements, results) { note(statement, result) }
            return results
        }

        func finish(_ statements: [SQLStatement]) async throws -> [SQLResult] { try await pipeline(statements) }

        private func said(_ statement: SQLStatement) -> SQLStatement {
            let now = UTCTime.text(database.simulation.now)
            return SQLStatement(
                database.rewriting(statement.text).replacing("'now'", with: "'\(now)'"), statement.parameters)
        }

        private func note(_ statement: SQLStatement, _ result: SQLResult) {
            database.simulation.note("    \(statement.text.prefix(72)): \(result.affected) \(result.rows.count)")
        }
    }
}
