// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// PostgreSQL: who erases people's rows beside whom.
///
/// Rows that several people share are locked in no certain order, so that transactions side by side can wait for each
/// other in a circle; and what is counted before it is deleted, somebody else can delete first. So each takes the turn
/// before it holds anything else, and until it ends.
extension ControlStore {
    private static let turn = 7_310_869_281_904_019

    /// This transaction erases while others do, but for one that does it alone. Nothing bounds the wait by itself.
    var beside: SQLStatement { SQLStatement("SELECT pg_advisory_xact_lock_shared(\(Self.turn))") }

    /// Takes the turn; whoever then stands still for as long as a lease lasts loses it.
    ///
    /// - Parameter seconds: How long it is waited for; less than a lease lasts, where nobody keeps that meanwhile.
    func takeTurn(alone isAlone: Bool, within seconds: Int? = nil) -> [SQLStatement] {
        let turn = isAlone ? SQLStatement("SELECT pg_advisory_xact_lock(\(Self.turn))") : beside
        return [bound([("lock_timeout", seconds ?? min(max(lease / 3, 1), 5)), Self.idleness(lease)]), turn]
    }

    /// How the transaction begins that erases small accounts at once.
    func openSingleTransaction(alone isAlone: Bool) -> [SQLStatement] {
        isAlone ? [begin] + takeTurn(alone: true) + [boundStatements] : [begin, boundStatements, beside]
    }
}
