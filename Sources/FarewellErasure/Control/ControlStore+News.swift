// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The later messages of systems about steps that they have accepted.
extension ControlStore {
    private var news: String { migrations.table("news") }

    /// Stores the first message of an unfinished erasure under the name of its report: that of the step, and of later
    /// requests a name of their own. It waits for the end of a transaction that parks the erasure or hands it back
    /// (``WaitingReports``).
    func keep(news text: String, _ report: String, of id: UUID) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(news) (erasure, step, told, told_at) \
            SELECT e.id, $2, $3, \(fromNow("0")) FROM \(erasures) AS e WHERE e.id = $1 \
            AND e.state NOT IN ('done', 'cancelled')\(dialect.locked) ON CONFLICT DO NOTHING
            """, [identifier(id), .text(report), .text(text)])
    }

    func news(_ report: String, of id: UUID) -> SQLStatement {
        SQLStatement("SELECT told FROM \(news) WHERE erasure = $1 AND step = $2", [identifier(id), .text(report)])
    }

    /// The names of all reports of an erasure.
    func reports(of id: UUID) -> StoreQuery<[String]> {
        StoreQuery(SQLStatement("SELECT step FROM \(news) WHERE erasure = $1", [identifier(id)])) {
            $0.rows.compactMap { $0.first?.text }
        }
    }

    /// Whether an erasure is parked because of an error with this code.
    func isParked(_ id: UUID, because code: FarewellError.Code) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                "SELECT 1 FROM \(erasures) WHERE id = $1 AND state = 'needs attention' AND cause_code = $2",
                [identifier(id), .text(code.rawValue)])
        ) { !$0.rows.isEmpty }
    }

    /// Before the request is made.
    func forgetNews(_ report: String, of id: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(news) WHERE erasure = $1 AND step = $2", [identifier(id), .text(report)])
    }
}
