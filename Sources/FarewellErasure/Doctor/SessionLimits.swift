// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The report of `farewell doctor` about limits of time with which sessions of the role begin in the database. Those
/// for idle sessions are not among them: Farewell's sessions have their own.
struct SessionLimits: Sendable {
    /// In milliseconds; 0 is no limit.
    let limits: [String: Int64]

    /// The shortest limits that leave an erasure enough time, in milliseconds.
    private static let least: [(name: String, milliseconds: Int64)] = [
        ("lock_timeout", 1_000), ("statement_timeout", 60_000), ("transaction_timeout", 60_000),
    ]

    /// `transaction_timeout` exists since PostgreSQL 17.
    static func read(on connection: any SQLConnection) async throws -> SessionLimits {
        let rows = try await connection.run(
            """
            SELECT name, reset_val::bigint FROM pg_catalog.pg_settings \
            WHERE name IN ('lock_timeout', 'statement_timeout', 'transaction_timeout')
            """
        ).rows
        let limits = rows.compactMap { row in
            row.first?.text.flatMap { name in row.last?.integer.map { (name, $0) } }
        }
        return SessionLimits(limits: Dictionary(limits, uniquingKeysWith: { first, _ in first }))
    }

    /// `nil` if no limit is too short.
    var fact: DatabaseHealth.Fact? {
        let short = Self.least.compactMap { name, least -> String? in
            guard let limit = limits[name], limit > 0, limit < least else { return nil }
            return "\(name) = \(limit) ms"
        }
        guard !short.isEmpty else { return nil }
        return DatabaseHealth.Fact(
            "limits of time", .warning,
            "sessions of this role begin with \(short.joined(separator: ", ")): an erasure may need longer, and would "
                + "be tried again in vain",
            remedy: "Raise them for Farewell's role: ALTER ROLE … SET …, or ALTER ROLE … IN DATABASE … SET …")
    }
}
