// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The entries of the lists that PostgreSQL's catalog queries answer, in the order of their parts there.
extension PostgreSQLCatalog {
    struct Column: Decodable {
        let column: SchemaColumn

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            let name = try parts.name()
            let type = try parts.decode(String.self)
            let base = try parts.decode(String.self)
            let isEnum = try parts.decode(String.self) == "e"
            let category = try parts.decode(String.self)
            let refusesNull = try parts.decode(Bool.self)
            let isGenerated = try parts.decode(Bool.self)
            let standard = try parts.decodeIfPresent(String.self)
            let modifier = try parts.decode(Int.self)
            let labels = try parts.decodeIfPresent([String].self)
            let looseEquality = try parts.optionalName()
            let elementType = try parts.decodeIfPresent(String.self)
            let collationSchema = try parts.optionalName()
            var column = SchemaColumn(
                name: name, type: type, kind: isEnum ? .text : Self.kind(of: base, category: category),
                isNullable: !refusesNull, isGenerated: isGenerated, defaultExpression: standard,
                // A length is stored with four bytes of header on top.
                maximumLength: ["varchar", "bpchar"].contains(base) && modifier > 4 ? modifier - 4 : nil,
                labels: isEnum ? labels ?? [] : nil, looseEquality: looseEquality,
                collationSchema: collationSchema, baseType: base, elementType: elementType)
            column.collation = try parts.decodeIfPresent(String.self)
            self.column = column
        }

        private static func kind(of type: String, category: String) -> SchemaColumn.Kind {
            switch (type, category) {
            case (_, "A"): .array
            case (_, "S"), ("xml", _): .text
            case ("int2", _), ("int4", _), ("int8", _), ("oid", _): .integer
            case ("numeric", _), ("float4", _), ("float8", _): .number
            case ("bool", _): .boolean
            case ("uuid", _): .uuid
            case ("timestamptz", _), ("timestamp", _), ("date", _): .timestamp
            case ("json", _), ("jsonb", _): .json
            case ("bytea", _): .bytes
            default: .other
            }
        }
    }

    struct Key: Decodable {
        let foreignKey: ForeignKey

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            var key = ForeignKey(
                name: try parts.name(), columns: try parts.names(),
                target: TableName(schema: try parts.name(), try parts.name()),
                targetColumns: try parts.names(),
                onDelete: Self.action(try parts.decode(String.self)),
                isDeferrable: try parts.decode(Bool.self), isValidated: try parts.decode(Bool.self))
            key.areTriggersDisabled = try parts.decode(Bool.self) ? true : nil
            foreignKey = key
        }

        static func action(_ letter: String) -> DeleteAction {
            switch letter {
            case "r": .restrict
            case "c": .cascade
            case "n": .setNull
            case "d": .setDefault
            default: .noAction
            }
        }
    }

    struct Index: Decodable {
        let index: SchemaIndex
        let isPrimary: Bool
        let hasPredicate: Bool

        var columns: [String] { index.columns }

        /// Vouches for the whole table that these columns are unique.
        var isUniqueKey: Bool { index.isUnique && !isPrimary && !hasPredicate && !columns.contains("") }

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            var index = SchemaIndex(
                name: try parts.name(), columns: try parts.names(),
                isUnique: try parts.decode(Bool.self), isPartial: try parts.decode(Bool.self),
                method: try parts.decode(String.self), areNullsEqual: try parts.decode(Bool.self))
            isPrimary = try parts.decode(Bool.self)
            hasPredicate = try parts.decode(Bool.self)
            index.expression = try parts.decodeIfPresent(String.self) ?? ""
            index.collation = try parts.optionalName()
            self.index = index
        }
    }
}
