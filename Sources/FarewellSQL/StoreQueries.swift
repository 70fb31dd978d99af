// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Queries of a store that have one answer together.
package struct StoreQueries<Answer: Sendable>: Sendable {
    package let statements: [SQLStatement]
    /// Reads the results of these statements, which may have travelled with others.
    package let answer: @Sendable (ArraySlice<SQLResult>) throws -> Answer

    package init(
        _ statements: [SQLStatement], _ answer: @escaping @Sendable (ArraySlice<SQLResult>) throws -> Answer
    ) {
        self.statements = statements
        self.answer = answer
    }

    package init(_ query: StoreQuery<Answer>) {
        self.init([query.statement]) { results in
            guard let result = results.first else { throw Self.unanswered }
            return try query.answer(result)
        }
    }

    package init<First: Sendable, Second: Sendable>(
        _ first: StoreQuery<First>, _ second: StoreQuery<Second>,
        _ joined: @escaping @Sendable (First, Second) -> Answer
    ) {
        self.init([first.statement, second.statement]) { results in
            guard results.count == 2, let one = results.first, let other = results.last else { throw Self.unanswered }
            return joined(try first.answer(one), try second.answer(other))
        }
    }

    package func run(in database: any SQLDatabase) async throws -> Answer {
        try answer(try await database.pipeline(statements)[...])
    }

    /// The same queries with another answer.
    package func map<Other: Sendable>(_ change: @escaping @Sendable (Answer) -> Other) -> StoreQueries<Other> {
        let answer = answer
        return StoreQueries<Other>(statements) { change(try answer($0)) }
    }

    private static var unanswered: FarewellError {
        FarewellError("control.unreadable", .ours, "The database did not answer every query of a store.")
    }
}
