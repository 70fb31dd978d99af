// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Questions about values of users that no link can find, in tables that nothing links to a user.
enum UnlinkedValues {
    static func question(_ table: SchemaTable, users: TableName) -> PlanQuestion? {
        PersonPaths.question(table, users: users) ?? NetworkAddresses.question(table, users: users)
    }

    /// By the words of a column's name.
    static func areNamed(_ words: [String]) -> Bool {
        PersonPaths.areNamed(words) || NetworkAddresses.areNamed(words)
    }
}
