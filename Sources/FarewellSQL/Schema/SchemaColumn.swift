// SPDX-License-Identifier: Apache-2.0
/// One column.
public struct SchemaColumn: Sendable, Hashable, Codable {
    /// The kind of its values, as far as Farewell needs it.
    public enum Kind: String, Sendable, Hashable, Codable {
        case text, integer, number, boolean, uuid, timestamp, json, bytes, array, other
    }

    /// How PostgreSQL numbers rows by this column (`GENERATED … AS IDENTITY`).
    public enum Identity: String, Sendable, Hashable, Codable { case always, byDefault = "by default" }

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
    /// The reason why differently written values are equal here: `citext`, a collation such as `NOCASE`; `nil` if only
    /// identical values are equal.
    public var looseEquality: String?
    /// PostgreSQL: the schema of the collation that `looseEquality` names; `nil` for a type and on SQLite. Not part of
    /// the fingerprint.
    public var collationSchema: String?
    /// The type with its schema, whatever the session's `search_path`: `public.mood`. As `type` on SQLite.
    public var qualifiedType: String
    /// The default's or the generation's expression, every name with its schema. As `defaultExpression` on SQLite.
    public var qualifiedDefault: String?
    /// The type in the catalog that a domain is made over in the end: `int8`, `oid`, `hstore`; empty on SQLite.
    public var baseType: String
    /// The type in the catalog that an array's elements are of in the end: `uuid`, `int8`; `nil` for every other type
    /// and on SQLite. Not part of the fingerprint.
    public var elementType: String?
    public var identity: Identity?
    /// SQLite: the action if the column may not be null and would be.
    public var onNullConflict: ConflictAction?

    /// The form of the values that a text has in some rows; `nil` if none was read. Not part of the fingerprint.
    package var sampledText: SampledText?

    /// The forms that the values of a text may have.
    package enum SampledText: String, Sendable, Hashable, Codable {
        /// Some are of the form of users' keys, which programs made: UUIDs and the like.
        case keys
        /// Some are lists in JSON with such keys, or without members.
        case lists
        case other
    }

    /// PostgreSQL: the collation of its texts, quoted and with its schema; `nil` if it is the database's own. Not part
    /// of the fingerprint.
    package var collation: String?
    /// SQLite: the expression from which the database computes it, as written. Not part of the fingerprint.
    package var generation: String?
    /// The expression from which the database computes it, or its default.
    package var computation: String { generation ?? qualifiedDefault ?? defaultExpression ?? "" }

    /// Whether the database computes it from other columns of the row.
    package var isComputed: Bool { isGenerated && identity == nil }

    public init(
        name: String, type: String, kind: Kind, isNullable: Bool = true, isGenerated: Bool = false,
        defaultExpression: String? = nil, maximumLength: Int? = nil, labels: [String]? = nil,
        looseEquality: String? = nil, collationSchema: String? = nil, qualifiedType: String? = nil,
        qualifiedDefault: String? = nil, baseType: String = "", elementType: String? = nil,
        identity: Identity? = nil, onNullConflict: ConflictAction? = nil
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
        self.collationSchema = collationSchema
        self.qualifiedType = qualifiedType ?? type
        self.qualifiedDefault = qualifiedDefault ?? defaultExpression
        self.baseType = baseType
        self.elementType = elementType
        self.identity = identity
        self.onNullConflict = onNullConflict
    }
}
