// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation

/// The plans that `init` and `decide` wrote in this run. Places with the same tables share one: a plan is derived from the tables
/// and not from their rows.
enum DerivedPlans {
    struct Tables: Sendable, Hashable {
        let profile: SamplePeople.Profile
        let dialect: SQLDialect
        /// Whether the tables of accounts are in the same database.
        let hasAccounts: Bool
    }

    private static let written = Guarded<[Tables: Data]>([:])

    /// The plan for these tables: the one that an earlier place wrote, or the one that `write` returns.
    static func plan(for tables: Tables, write: () async throws -> Data) async throws -> Data {
        if let plan = written.withLock({ $0[tables] }) { return plan }
        let plan = try await write()
        written.withLock { $0[tables] = plan }
        return plan
    }
}
