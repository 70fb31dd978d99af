// SPDX-License-Identifier: Apache-2.0
/// A trigger that is not the database's own and is switched on; on PostgreSQL also a rewrite rule.
public struct SchemaTrigger: Sendable, Hashable, Codable {
    public var name: String
    /// Of `insert`, `update`, `delete`, `truncate`, in that order.
    public var events: [String]
    /// Its definition: the trigger's text on SQLite; on PostgreSQL the called function's body,
    /// or the rule's text.
    public var definition: String

    public init(name: String, events: [String], definition: String) {
        self.name = name
        self.events = events
        self.definition = definition
    }
}
