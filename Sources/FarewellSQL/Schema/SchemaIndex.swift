// SPDX-License-Identifier: Apache-2.0
import Farewell

/// An index, primary keys and unique constraints included.
public struct SchemaIndex: Sendable, Hashable, Codable {
    public var name: String
    /// Key columns in order; an expression counts as an empty name.
    public var columns: [String]
    public var isUnique: Bool
    /// Covers only some rows (`WHERE …`). Leaving out rows whose first key column is null does not count:
    /// a search for a value never needs them.
    public var isPartial: Bool
    /// The access method: `btree`, `hash`, `gin`, … Always `btree` on SQLite.
    public var method: String
    /// Whether it takes nulls for equal, so that a unique one holds each only once (`NULLS NOT DISTINCT`).
    public var areNullsEqual: Bool
    /// The definition of a unique index, every name with its schema: its columns and expressions, and its condition if
    /// it covers only some rows (`lower(email) WHERE deleted_at IS NULL`). Empty if `columns` suffices.
    public var definition: String
    /// Whether a unique one may be checked at commit only.
    public var isDeferrable: Bool
    /// SQLite: the action for a row that would not be unique; `nil` if the statement fails.
    public var onConflict: ConflictAction?
    /// PostgreSQL: the first part, if it is an expression, as the database writes it: `lower((email)::text)`.
    public var expression: String
    /// The collation of the first part, if it is not that of its column; of an expression, if it is not the database's
    /// own.
    public var collation: String?

    public init(
        name: String, columns: [String], isUnique: Bool = false, isPartial: Bool = false,
        method: String = "btree", areNullsEqual: Bool = false, definition: String = "", isDeferrable: Bool = false,
        onConflict: ConflictAction? = nil, expression: String = "", collation: String? = nil
    ) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        self.isPartial = isPartial
        self.method = method
        self.areNullsEqual = areNullsEqual
        self.definition = definition
        self.isDeferrable = isDeferrable
        self.onConflict = onConflict
        self.expression = expression
        self.collation = collation
    }

    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        name = try parts.decode(String.self, forKey: .name)
        columns = try parts.decode([String].self, forKey: .columns)
        isUnique = try parts.decode(Bool.self, forKey: .isUnique)
        isPartial = try parts.decode(Bool.self, forKey: .isPartial)
        method = try parts.decode(String.self, forKey: .method)
        // Schemas stored by earlier versions do not contain this.
        areNullsEqual = try parts.decodeIfPresent(Bool.self, forKey: .areNullsEqual) ?? false
        definition = try parts.decodeIfPresent(String.self, forKey: .definition) ?? ""
        isDeferrable = try parts.decodeIfPresent(Bool.self, forKey: .isDeferrable) ?? false
        onConflict = try parts.decodeIfPresent(ConflictAction.self, forKey: .onConflict)
        expression = try parts.decodeIfPresent(String.self, forKey: .expression) ?? ""
        collation = try parts.decodeIfPresent(String.self, forKey: .collation)
    }

    /// Its requirements beyond the uniqueness of its columns in the whole table, in words; `nil` if there are none. Its
    /// name is left out.
    var peculiarity: String? {
        guard isUnique else { return nil }
        let words = [
            areNullsEqual ? "nulls equal" : nil, isDeferrable ? "deferrable" : nil,
            onConflict.map { "on conflict \($0.rawValue)" },
        ].compactMap(\.self)
        guard isPartial || !definition.isEmpty || columns.contains("") || !words.isEmpty else { return nil }
        let key = definition.isEmpty ? columns.map(TableName.written).joined(separator: ", ") : definition
        return ([key] + words).joined(separator: ", ")
    }

    /// Whether rows can be found through it by the values of exactly these columns, in any order, without
    /// reading the whole table.
    public func finds(by columns: [String]) -> Bool {
        guard !isPartial, !columns.isEmpty, self.columns.count >= columns.count else { return false }
        switch method {
        case "btree": return Set(self.columns.prefix(columns.count)) == Set(columns)
        case "hash": return self.columns == columns
        default: return false
        }
    }
}
