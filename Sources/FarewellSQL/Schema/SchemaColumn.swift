// SPDX-License-Identifier: Apache-2.0
/// One column.
public struct SchemaColumn: Sendable, Hashable, Codable {
    /// What kind of value it holds, as far as Farewell must know.
    public enum Kind: String, Sendable, Hashable, Codable {
        case text, integer, number, boolean, uuid, timestamp, json, bytes, array, other
    }

    public var name: String
    /// The type as the database writes it: `character varying(40)`, `uuid`, `NVARCHAR(40)`.
    public var type: String
    /// Domains are resolved to what they are made over; enums are `text`.
    public var kind: Kind
    public var isNullable: Bool
    /// Computed from other columns, or an identity column that refuses writes.
    public var isGenerated: Bool
    /// The default's expression as the catalog writes it.
    public var defaultExpression: String?
    /// The greatest length in characters where the type limits it.
    public var maximumLength: Int?

    public init(
        name: String, type: String, kind: Kind, isNullable: Bool = true, isGenerated: Bool = false,
        defaultExpression: String? = nil, maximumLength: Int? = nil
    ) {
        self.name = name
        self.type = type
        self.kind = kind
        self.isNullable = isNullable
        self.isGenerated = isGenerated
        self.defaultExpression = defaultExpression
        self.maximumLength = maximumLength
    }
}
