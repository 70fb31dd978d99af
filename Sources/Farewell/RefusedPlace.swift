// SPDX-License-Identifier: Apache-2.0

/// The place of a database's refusal, as far as its error names it: for a look-up of further facts.
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
