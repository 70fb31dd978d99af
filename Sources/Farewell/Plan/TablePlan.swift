// SPDX-License-Identifier: Apache-2.0

/// The plan's entry for one table.
public struct TablePlan: Sendable, Hashable {
    public var table: TableName
    public var rule: Rule
    /// The links from its rows to the subject. Empty for the subject's own table and for tables that are not personal.
    public var links: [Link]
    /// Every column of the table and what happens to it, in the order of the table. For `erase` each is
    /// simply accounted for; for `anonymise` and `retain` each has its rule.
    public var columns: [PlannedColumn]
    /// The name of the table for the subject, on pages and in exports; `nil`: its name in the database.
    public var label: String? = nil
    /// That name by the languages of the pages (`en`, `de`, `es`, `ja`, `ar`); in others it is `label`.
    public var labels: [String: String] = [:]

    /// One column of the table and what happens to it.
    public struct PlannedColumn: Sendable, Hashable {
        public var name: String
        /// `nil` if the row's own rule says everything (`erase`, `not personal`).
        public var rule: ColumnRule?
        /// Whether an export holds the value. `nil` if the plan does not say. That means yes for an erased row and for
        /// a column that is changed or retained. It means no if the row keeps the value, if another user wrote the row,
        /// or if the value is another user's key.
        public var export: Bool? = nil
        /// The name of the column for the subject, in exports; `nil`: its name in the database.
        public var label: String? = nil

        public init(_ name: String, _ rule: ColumnRule? = nil) {
            self.name = name
            self.rule = rule
        }
    }

    public init(table: TableName, rule: Rule, links: [Link] = [], columns: [PlannedColumn] = []) {
        self.table = table
        self.rule = rule
        self.links = links
        self.columns = columns
    }
}
