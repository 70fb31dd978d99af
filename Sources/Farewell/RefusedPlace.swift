// SPDX-License-Identifier: Apache-2.0

/// Where a database refused a change, as far as its error says it: for those who look up what else is known of it.
package struct RefusedPlace: Sendable, Hashable {
    /// The table, as the database writes it.
    package var table: String?
    /// PostgreSQL: the function that a trigger, a policy, a rule or a constraint called, as `regprocedure` writes it.
    package var function: String?

    package init(table: String? = nil, function: String? = nil) {
        self.table = table
        self.function = function
    }
}
