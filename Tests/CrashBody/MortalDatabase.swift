// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A database at whose uses for some people the process may die: before each, after each end of a transaction, and
/// while such an end is on its way. Between two statements of one transaction nothing is left that its beginning does
/// not leave.
struct MortalDatabase: SQLDatabase {
    let database: any SQLDatabase
    /// The names that identify a use for them: keys of subjects, numbers of erasures. Uses by others, such as duties, do not count.
    let names: [String]
    let countdown: Countdown

    var dialect: SQLDialect { database.dialect }

    func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        try await database.withConnection { try await body(Connection(connection: $0, database: self)) }
    }

    func close() async { await database.close() }

    private struct Connection: SQLConnection {
        let connection: any SQLConnection
        let database: MortalDatabase
        /// Whether it has been used for them since it was lent.
        let isTheirs = Guarded(false)

        var dialect: SQLDialect { connection.dialect }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            let isCounted = begin([statement])
            let result = try await connection.run(statement)
            if isCounted { end([statement]) }
            return result
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            let isCounted = begin(statements)
            let results = try await connection.pipeline(statements)
            if isCounted { end(statements) }
            return results
        }

        func pipeline<Value: Sendable>(
            _ first: [SQLStatement], then rest: [SQLStatement], meanwhile work: ([SQLResult]) async throws -> Value
        ) async throws -> (value: Value, results: [SQLResult]) {
            let isCounted = begin(first + rest)
            let answer = try await connection.pipeline(first, then: rest) { results in
                if isCounted { database.countdown.tick() }
                return try await work(results)
            }
            if isCounted { end(rest) }
            return answer
        }

        func finish(_ statements: [SQLStatement], meanwhile work: () throws -> Void) async throws -> [SQLResult] {
            let isCounted = begin(statements)
            let results = try await connection.finish(statements) {
                if isCounted { database.countdown.tick() }
                try work()
                if isCounted { database.countdown.tick() }
            }
            if isCounted { end(statements) }
            return results
        }

        private func begin(_ statements: [SQLStatement]) -> Bool {
            let isNamed = statements.contains { statement in
                statement.parameters.contains { $0.holds(oneOf: database.names) }
            }
            let isCounted = isTheirs.withLock { isTheirs in
                isTheirs = isTheirs || isNamed
                return isTheirs
            }
            if isCounted { database.countdown.tick() }
            return isCounted
        }

        private func end(_ statements: [SQLStatement]) {
            if statements.last?.text == "COMMIT" { database.countdown.tick() }
        }
    }
}

extension SQLValue {
    fileprivate func holds(oneOf names: [String]) -> Bool {
        if case .array(let values) = self { return values.contains { $0.holds(oneOf: names) } }
        guard let text = text?.lowercased() else { return false }
        return names.contains { text.contains($0) }
    }
}
