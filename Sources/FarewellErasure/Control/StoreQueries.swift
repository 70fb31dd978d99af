// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Queries of the control store that have one answer together.
struct StoreQueries<Answer: Sendable>: Sendable {
    let statements: [SQLStatement]
    /// Reads the results of these statements, which may have travelled with others.
    let answer: @Sendable (ArraySlice<SQLResult>) throws -> Answer

    private init(
        _ statements: [SQLStatement], _ answer: @escaping @Sendable (ArraySlice<SQLResult>) throws -> Answer
    ) {
        self.statements = statements
        self.answer = answer
    }

    init(_ query: StoreQuery<Answer>) {
        self.init([query.statement]) { results in
            guard let result = results.first else { throw Self.unanswered }
            return try query.answer(result)
        }
    }

    init<First: Sendable, Second: Sendable>(
        _ first: StoreQuery<First>, _ second: StoreQuery<Second>,
        _ joined: @escaping @Sendable (First, Second) -> Answer
    ) {
        self.init([first.statement, second.statement]) { results in
            guard results.count == 2, let one = results.first, let other = results.last else { throw Self.unanswered }
            return joined(try first.answer(one), try second.answer(other))
        }
    }

    /// The same queries with another answer.
    func map<Other: Sendable>(_ change: @escaping @Sendable (Answer) -> Other) -> StoreQueries<Other> {
        let answer = answer
        return StoreQueries<Other>(statements) { change(try answer($0)) }
    }

    private static var unanswered: FarewellError {
        FarewellError("control.unreadable", .ours, "The control store did not answer every query.")
    }
}
