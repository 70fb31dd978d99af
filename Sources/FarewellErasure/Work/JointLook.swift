// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Sends the queries of simultaneous requests in one round trip each.
///
/// Each connection plans every statement for itself, so a few of them serve many callers with less work than many do.
/// The queries change nothing.
struct JointLook: Sendable {
    private let looks: RequestCoalescer<[SQLStatement], [SQLResult]>

    init(_ database: any SQLDatabase, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        looks = Self.coalescer(sleep: sleep) { requests in
            var asked = StatementParts()
            let parts = requests.map { asked.add($0) }
            let results = try await database.pipeline(asked.statements)
            return parts.map { Array($0.answers(in: results)) }
        }
    }

    /// Joins looks that are made at the same moment.
    ///
    /// - Parameter together: Looks for all of them; returns an answer for each, in their order.
    static func coalescer<Look: Sendable, Found: Sendable>(
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        together: @escaping @Sendable ([Look]) async throws -> [Found]
    ) -> RequestCoalescer<Look, Found> {
        RequestCoalescer(
            concurrency: 2, most: 16, deadline: Deadline(limit: .seconds(1), sleep: sleep), together: together)
    }

    /// - Returns: The results of the statements, in their order; `nil` if they must be sent alone.
    func results(of statements: [SQLStatement]) async -> [SQLResult]? { await looks.answer(to: statements) }
}
