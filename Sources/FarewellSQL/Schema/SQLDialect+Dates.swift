// SPDX-License-Identifier: Apache-2.0

extension SQLDialect {
    /// The kinds of columns that may hold a date. SQLite has no date type: dates there are text, integers or whatever
    /// the declared type became.
    package var kindsOfDates: Set<SchemaColumn.Kind> {
        hasColumnTypes ? [.timestamp] : [.timestamp, .text, .integer, .number, .other]
    }
}
