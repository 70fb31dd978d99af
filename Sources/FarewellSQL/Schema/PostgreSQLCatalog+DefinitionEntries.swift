// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The entries of the lists that the queries for definitions answer, in the order of their parts there.
extension PostgreSQLCatalog {
    struct ColumnDefinition: Decodable {
        let name: String
        let type: String
        let expression: String?
        let identity: SchemaColumn.Identity?

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            name = try parts.name()
            type = try parts.decode(String.self)
            expression = try parts.decodeIfPresent(String.self)
            identity =
                switch try parts.decode(String.self) {
                case "a": .always
                case "d": .byDefault
                default: nil
                }
        }
    }

    struct CheckDefinition: Decodable {
        let name: String
        let condition: String
        let columns: [String]

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            name = try parts.name()
            condition = try parts.decode(String.self)
            columns = try parts.optionalNames() ?? []
        }

        func check(isOfDomain: Bool) -> SchemaCheck {
            SchemaCheck(name: name, condition: condition, columns: columns, isOfDomain: isOfDomain)
        }
    }

    struct ExclusionDefinition: Decodable {
        let exclusion: SchemaExclusion

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            exclusion = SchemaExclusion(
                name: try parts.name(), columns: try parts.names(),
                operators: try parts.decode([String].self), definition: try parts.decode(String.self))
        }
    }

    struct KeyDefinition: Decodable {
        let name: String
        let onUpdate: DeleteAction
        let matchesFull: Bool
        let isDeferred: Bool
        let setColumns: [String]

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            name = try parts.name()
            onUpdate = Key.action(try parts.decode(String.self))
            matchesFull = try parts.decode(Bool.self)
            isDeferred = try parts.decode(Bool.self)
            setColumns = try parts.optionalNames() ?? []
        }
    }

    struct UniqueDefinition: Decodable {
        let name: String
        let definition: String
        let isDeferrable: Bool

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            name = try parts.name()
            definition = try parts.decode(String.self)
            isDeferrable = try parts.decode(Bool.self)
        }
    }

    /// The entry of `relations` for a trigger or a rule.
    struct Fires: Decodable {
        let name: String
        let events: [String]
        let definition: String
        let number: Int64
        let isRule: Bool
        let isForEachRow: Bool
        let isInstead: Bool
        let function: Int64?

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            name = try parts.name()
            events = try parts.decode(String.self).split(separator: " ").map(String.init)
            definition = try parts.decode(String.self)
            number = try parts.decode(Int64.self)
            isRule = try parts.decode(Bool.self)
            isForEachRow = try parts.decode(Bool.self)
            isInstead = try parts.decode(Bool.self)
            function = try parts.decodeIfPresent(Int64.self)
        }
    }

    /// How a publication sends a table.
    struct Sent: Decodable {
        let publication: SchemaPublication
        let rowFilter: String?
        /// The published columns; `nil` if the server does not report them.
        let columns: [String]?

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            publication = SchemaPublication(
                name: try parts.name(), publishesUpdates: try parts.decode(Bool.self),
                publishesDeletes: try parts.decode(Bool.self))
            rowFilter = try parts.decodeIfPresent(String.self)
            columns = try parts.optionalNames()
        }
    }
}
