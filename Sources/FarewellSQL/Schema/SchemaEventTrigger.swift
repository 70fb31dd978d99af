// SPDX-License-Identifier: Apache-2.0

/// A trigger of PostgreSQL that waits for changes of the schema. Erasures change rows only, so it is not part of the
/// fingerprint; it may refuse that Farewell makes its own tables.
public struct SchemaEventTrigger: Sendable, Hashable, Codable {
    public var name: String
    /// `ddl_command_start`, `ddl_command_end`, `sql_drop`, `table_rewrite` or `login`.
    public var event: String

    public init(name: String, event: String) {
        self.name = name
        self.event = event
    }
}
