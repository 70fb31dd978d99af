// SPDX-License-Identifier: Apache-2.0

/// The shape of JSON, as far as ours needs it (JSON Schema 2020-12, which OpenAPI 3.1 speaks).
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

    var document: DocumentValue {
        switch self {
        case .named(let name): ["$ref": .text("#/components/schemas/\(name)")]
        case .text: ["type": "string"]
        case .formatted(let format): ["type": "string", "format": .text(format)]
        case .sized(let range):
            [
                "type": "string", "minLength": .number(range.lowerBound), "maxLength": .number(range.upperBound),
            ]
        case .oneOfTexts(let texts): ["type": "string", "enum": .list(texts.map { .text($0) })]
        case .integer(nil): ["type": "integer"]
        case .integer(let range?):
            ["type": "integer", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
        case .number: ["type": "number"]
        case .flag: ["type": "boolean"]
        case .anyObject: ["type": "object"]
        case .list(let element): ["type": "array", "items": element.document]
        case .object(let members): Self.object(members)
        case .orNull(let schema): ["anyOf": .list([schema.document, ["type": "null"]])]
        case .anyOf(let schemas): ["anyOf": .list(schemas.map(\.document))]
        }
    }

    private static func object(_ members: [Member]) -> DocumentValue {
        var parts: [(String, DocumentValue)] = [
            ("type", "object"), ("properties", .object(members.map { ($0.name, $0.schema.document) })),
        ]
        let required = members.filter(\.isRequired).map { DocumentValue.text($0.name) }
        if !required.isEmpty { parts.append(("required", .list(required))) }
        return .object(parts)
    }
}

/// JSON whose members keep their order.
indirect enum DocumentValue: Sendable, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([DocumentValue])
    case object([(String, DocumentValue)])

    init(stringLiteral value: String) { self = .text(value) }
    init(dictionaryLiteral elements: (String, DocumentValue)...) { self = .object(elements) }

    var json: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        case .list(let list): "[" + list.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0)):\($1.json)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
