// SPDX-License-Identifier: Apache-2.0

/// Statements of several parts that travel in one round trip, and where each part's answers are.
package struct StatementParts: Sendable {
    package private(set) var statements: [SQLStatement] = []

    package init() {}

    /// Where the answers of one part are.
    package struct Part: Sendable {
        fileprivate let place: Range<Int>

        /// - Parameter results: The answers of all parts, or of the first ones.
        package func answers(in results: [SQLResult]) -> ArraySlice<SQLResult> {
            results[place.clamped(to: results.indices)]
        }
    }

    /// Where the answer of one query is.
    package struct Query<Answer: Sendable>: Sendable {
        fileprivate let query: StoreQuery<Answer>
        fileprivate let place: Int

        /// - Parameter results: The answers of all parts, or of the first ones.
        package func answer(in results: [SQLResult]) throws -> Answer { try query.answer(results[place]) }
    }

    /// Where the answers of several queries are.
    package struct Queries<Answer: Sendable>: Sendable {
        fileprivate let queries: StoreQueries<Answer>
        fileprivate let part: Part

        /// - Parameter results: The answers of all parts, or of the first ones.
        package func answer(in results: [SQLResult]) throws -> Answer { try queries.answer(part.answers(in: results)) }
    }

    /// Adds queries behind the existing statements.
    package mutating func add<Answer: Sendable>(_ queries: StoreQueries<Answer>) -> Queries<Answer> {
        let part = add(queries.statements)
        return Queries(queries: queries, part: part)
    }

    /// Adds a query behind the existing statements.
    package mutating func add<Answer: Sendable>(_ query: StoreQuery<Answer>) -> Query<Answer> {
        statements.append(query.statement)
        return Query(query: query, place: statements.count - 1)
    }

    /// Adds a part behind the existing parts.
    package mutating func add(_ part: [SQLStatement]) -> Part {
        statements += part
        return Part(place: (statements.count - part.count)..<statements.count)
    }
}
