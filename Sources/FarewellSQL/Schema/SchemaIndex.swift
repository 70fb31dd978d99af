// SPDX-License-Identifier: Apache-2.0
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

    public init(
        name: String, columns: [String], isUnique: Bool = false, isPartial: Bool = false,
        method: String = "btree", areNullsEqual: Bool = false
    ) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        self.isPartial = isPartial
        self.method = method
        self.areNullsEqual = areNullsEqual
    }

    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        name = try parts.decode(String.self, forKey: .name)
        columns = try parts.decode([String].self, forKey: .columns)
        isUnique = try parts.decode(Bool.self, forKey: .isUnique)
        isPartial = try parts.decode(Bool.self, forKey: .isPartial)
        method = try parts.decode(String.self, forKey: .method)
        // Schemas that were kept before this was known do not tell.
        areNullsEqual = try parts.decodeIfPresent(Bool.self, forKey: .areNullsEqual) ?? false
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
