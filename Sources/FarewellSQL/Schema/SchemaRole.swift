// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The connected role, as far as it matters to an erasure.
public struct SchemaRole: Sendable, Hashable, Codable {
    /// The role's name; empty on SQLite.
    public var name: String
    /// Whether row security never applies to it (superuser or `BYPASSRLS`).
    public var bypassesRowSecurity: Bool

    public init(name: String = "", bypassesRowSecurity: Bool = true) {
        self.name = name
        self.bypassesRowSecurity = bypassesRowSecurity
    }
}
