// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Whether what a column says of a person stands in somebody else's row as well: then it is not theirs alone.
struct SharedNames: Sendable {
    let context: ErasureContext
    let column: ColumnName

    /// - Parameter members: Whose rows do not count: the person's, and of those who leave with them, whose turn was
    ///   before.
    func isShared(_ name: String, besides members: [ErasureMember]) async throws -> Bool {
        guard let statement = context.prepared.program.strangers(naming: column) else { return false }
        var question = statement.bound(context.prepared.values(members), dialect: context.prepared.schema.dialect)
        question.parameters.append(.text(name))
        let asked = question
        return try await context.database.withConnection { connection in
            (try await connection.run(asked).scalar?.integer ?? 0) > 0
        }
    }
}
