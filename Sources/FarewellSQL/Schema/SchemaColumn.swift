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
    /// The labels of an enum in its order; `nil` for every other type. Not part of the fingerprint: a label more
    /// changes nothing that a plan rests on.
    public var labels: [String]?
    /// What makes values equal here that are written differently: `citext`, a collation such as `NOCASE`; `nil` where
    /// only what is written the same is equal.
    public var looseEquality: String?

    public init(
        name: String, type: String, kind: Kind, isNullable: Bool = true, isGenerated: Bool = false,
        defaultExpression: String? = nil, maximumLength: Int? = nil, labels: [String]? = nil,
        looseEquality: String? = nil
    ) {
        self.name = name
        self.type = type
        self.kind = kind
        self.isNullable = isNullable
        self.isGenerated = isGenerated
        self.defaultExpression = defaultExpression
        self.maximumLength = maximumLength
        self.labels = labels
        self.looseEquality = looseEquality
    }
}
