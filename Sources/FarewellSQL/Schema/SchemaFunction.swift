// SPDX-License-Identifier: Apache-2.0

/// A function of the database that a trigger or a rule calls, directly or through others.
public struct SchemaFunction: Sendable, Hashable, Codable {
    /// Its name with its schema, without arguments.
    public var name: String
    /// Its definition as the catalog writes it (`pg_get_functiondef`).
    public var definition: String

    public init(name: String, definition: String) {
        self.name = name
        self.definition = definition
    }
}
