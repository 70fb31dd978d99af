// SPDX-License-Identifier: Apache-2.0
/// A trigger that is not the database's own and is switched on; on PostgreSQL also a rewrite rule.
public struct SchemaTrigger: Sendable, Hashable, Codable {
    public var name: String
    /// Some of `insert`, `update`, `delete`, `truncate`, in that order.
    public var events: [String]
    /// Its definition: the trigger's text on SQLite; on PostgreSQL the called function's body,
    /// or the rule's text.
    public var definition: String
    /// All of it, every name with its schema: when it fires, for what and with which arguments. As `definition` on
    /// SQLite.
    public var statement: String
    /// The functions that it calls, directly or through others, by name. The called function itself is among them.
    public var functions: [SchemaFunction]
    /// Whether it fires for each row; otherwise once for each statement, even if that changes no row.
    public var isForEachRow: Bool
    /// Whether it is a rewrite rule.
    public var isRule: Bool
    /// Whether the rule's actions take the place of the change (`DO INSTEAD`).
    public var isInstead: Bool

    public init(
        name: String, events: [String], definition: String, statement: String? = nil,
        functions: [SchemaFunction] = [], isForEachRow: Bool = true, isRule: Bool = false, isInstead: Bool = false
    ) {
        self.name = name
        self.events = events
        self.definition = definition
        self.statement = statement ?? definition
        self.functions = functions
        self.isForEachRow = isForEachRow
        self.isRule = isRule
        self.isInstead = isInstead
    }

    /// PostgreSQL: the function that a trigger calls, with its schema unless that is the server's own.
    package var calledFunction: String? {
        guard !isRule, let mark = statement.ranges(of: "EXECUTE FUNCTION ").last else { return nil }
        return String(statement[mark.upperBound...].prefix { $0 != "(" })
    }
}
