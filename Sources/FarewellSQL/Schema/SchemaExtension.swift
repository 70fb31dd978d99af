// SPDX-License-Identifier: Apache-2.0

/// An extension of PostgreSQL that owns a table: a member of it by `pg_depend` (deptype `e`).
public struct SchemaExtension: Sendable, Hashable, Codable {
    /// The extension's name, e.g. `postgis`.
    public var name: String
    /// Whether a dump saves the table's rows (`pg_extension_config_dump`): users of the extension add rows to it.
    public var savesRows: Bool

    public init(name: String, savesRows: Bool) {
        self.name = name
        self.savesRows = savesRows
    }
}
