// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// PostgreSQL: the lock that decides which transactions erase rows concurrently.
///
/// Rows that several subjects share are locked in no fixed order, so concurrent transactions can deadlock; and rows
/// that are counted before their deletion can be deleted by another transaction first. So each transaction takes the
/// turn before any other lock, and holds it until it ends.
extension ControlStore {
    private static let turn = 7_310_869_281_904_019

    /// This transaction erases concurrently with others, except with one that erases alone. The wait has no limit of
    /// its own.
    var beside: SQLStatement { SQLStatement("SELECT pg_advisory_xact_lock_shared(\(Self.turn))") }

    /// Takes the turn; a transaction that then makes no progress for the length of a lease loses it.
    ///
    /// - Parameter seconds: The longest wait; less than the length of a lease, unless the lease is renewed meanwhile.
    func takeTurn(alone isAlone: Bool, within seconds: Int? = nil) -> [SQLStatement] {
        let turn = isAlone ? SQLStatement("SELECT pg_advisory_xact_lock(\(Self.turn))") : beside
        return [bound([("lock_timeout", seconds ?? min(max(lease / 3, 1), 5)), Self.idleness(lease)]), turn]
    }

    /// The deletes of a single transaction take a second at most: an account whose cascade takes longer is erased in
    /// chunks.
    var boundDeletes: SQLStatement {
        SQLStatement(
            """
            SELECT set_config('farewell.former_timeout', f.most, true), set_config('statement_timeout', '1s', true) \
            FROM (SELECT current_setting('statement_timeout') AS most) AS f \
            WHERE f.most::interval NOT BETWEEN '1 ms' AND '1 s'
            """)
    }
    /// Ends the bound of `boundDeletes`.
    var unboundDeletes: SQLStatement {
        SQLStatement(
            """
            SELECT set_config('statement_timeout', current_setting('farewell.former_timeout'), true) \
            WHERE current_setting('farewell.former_timeout', true) <> ''
            """)
    }

    /// Bounds the deletes of a piece: one generic plan serves every list of row places, and deletes that take other
    /// tables' rows along end after half a second, because the number of those rows is not known.
    func boundPiece(takesOthers: Bool) -> SQLStatement {
        let bound = """
            , (SELECT set_config('statement_timeout', '500ms', true) \
            WHERE current_setting('statement_timeout')::interval NOT BETWEEN '1 ms' AND '500 ms')
            """
        return SQLStatement(
            "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)\(takesOthers ? bound : "")")
    }

    /// The first statements of the transaction that erases small accounts at once.
    func openSingleTransaction(alone isAlone: Bool) -> [SQLStatement] {
        isAlone ? [begin] + takeTurn(alone: true) + [boundStatements] : [begin, boundStatements, beside]
    }
}
