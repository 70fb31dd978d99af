// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The shape of JSON, as far as the routes need it (JSON Schema 2020-12, which OpenAPI 3.1 uses).
indirect enum Schema: Sendable {
    /// One of the named schemas.
    case named(String)
    case text
    /// Text of a format, e.g. `uuid` or `date-time`.
    case formatted(String)
    /// Text of a length.
    case sized(ClosedRange<Int>)
    case oneOfTexts([String])
    case integer(ClosedRange<Int>?)
    case number
    case flag
    /// Bytes, and no JSON.
    case bytes
    /// An object with whatever members.
    case anyObject
    case list(Schema)
    case object([Member])
    case orNull(Schema)
    case anyOf([Schema])

    struct Member: Sendable {
        let name: String
        let schema: Schema
        var isRequired: Bool

        static func must(_ name: String, _ schema: Schema) -> Member {
            .init(name: name, schema: schema, isRequired: true)
        }
        static func may(_ name: String, _ schema: Schema) -> Member {
            .init(name: name, schema: schema, isRequired: false)
        }
    }

    var document: JSONValue {
        switch self {
        case .named(let name): ["$ref": .string("#/components/schemas/\(name)")]
        case .text: ["type": "string"]
        case .formatted(let format): ["type": "string", "format": .string(format)]
        case .sized(let range):
            [
                "type": "string", "minLength": .integer(Int64(range.lowerBound)),
                "maxLength": .integer(Int64(range.upperBound)),
            ]
        case .oneOfTexts(let texts): ["type": "string", "enum": .array(texts.map { .string($0) })]
        case .integer(nil): ["type": "integer"]
        case .integer(let range?):
            [
                "type": "integer", "minimum": .integer(Int64(range.lowerBound)),
                "maximum": .integer(Int64(range.upperBound)),
            ]
        case .number: ["type": "number"]
        case .flag: ["type": "boolean"]
        case .bytes: [:]
        case .anyObject: ["type": "object"]
        case .list(let element): ["type": "array", "items": element.document]
        case .object(let members): Self.object(members)
        case .orNull(let schema): ["anyOf": .array([schema.document, ["type": "null"]])]
        case .anyOf(let schemas): ["anyOf": .array(schemas.map(\.document))]
        }
    }

    private static func object(_ members: [Member]) -> JSONValue {
        let properties = Dictionary(members.map { ($0.name, $0.schema.document) }) { first, _ in first }
        var parts: [String: JSONValue] = ["type": "object", "properties": .object(properties)]
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { parts["required"] = .array(required) }
        return .object(parts)
    }
}
