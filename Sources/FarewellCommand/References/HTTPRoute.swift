// SPDX-License-Identifier: Apache-2.0

import Farewell

/// One operation of an OpenAPI document, in the words of the documentation.
struct HTTPRoute {
    let method: String
    let path: String
    let tag: String
    let summary: String
    let callers: String
    /// Rows of a table: name, place, whether it is required, type, meaning.
    let parameters: [[String]]
    /// The type of the request's body.
    let body: String?
    /// Rows of a table: status, type of the body, meaning.
    let answers: [[String]]
    /// The codes of refusals, by status.
    let refusals: [(status: Int, codes: [String])]

    /// The operations of a document, by path and method.
    static func all(in document: JSONValue) -> [HTTPRoute] {
        (document["paths"]?.object ?? [:]).sorted { $0.key < $1.key }.flatMap { path, methods in
            (methods.object ?? [:]).sorted { $0.key < $1.key }.map { HTTPRoute($0.key, path, $0.value, document) }
        }
    }

    private init(_ method: String, _ path: String, _ operation: JSONValue, _ document: JSONValue) {
        self.method = method.uppercased()
        self.path = path
        tag = operation["tags"]?.array?.first?.string ?? ""
        summary = operation["summary"]?.string ?? ""
        callers = Self.callers(operation["security"]?.array ?? [], document)
        parameters = (operation["parameters"]?.array ?? []).map { parameter in
            [
                parameter["name"]?.string?.asCode ?? "", parameter["in"]?.string ?? "",
                parameter["required"]?.boolean == true ? "yes" : "", Self.type(parameter["schema"] ?? .null),
                parameter["description"]?.string ?? "",
            ]
        }
        body = operation["requestBody"].map { body in
            let type = Self.type(body["content"]?["application/json"]?["schema"] ?? .null)
            return body["required"]?.boolean == true ? type : type + ", optional"
        }
        let responses = (operation["responses"]?.object ?? [:]).sorted { $0.key < $1.key }
        answers = responses.filter { $0.value["$ref"] == nil }.map { status, answer in
            [status, Self.content(answer["content"]?.object ?? [:]), answer["description"]?.string ?? ""]
        }
        refusals = (operation["x-error-codes"]?.object ?? [:]).sorted { $0.key < $1.key }.compactMap { status, codes in
            Int(status).map { ($0, codes.array?.compactMap(\.string) ?? []) }
        }
    }

    private static func callers(_ security: [JSONValue], _ document: JSONValue) -> String {
        let schemes = document["components"]?["securitySchemes"]
        let named = security.flatMap { ($0.object ?? [:]).keys.sorted() }.compactMap { name in
            schemes?[name]?["description"]?.string.map { $0.prefix(1).lowercased() + $0.dropFirst().dropLast() }
        }
        guard !named.isEmpty else { return "anyone" }
        return named.joined(separator: "; ") + (security.contains(.object([:])) ? "; or the holder of a ticket" : "")
    }

    private static func content(_ content: [String: JSONValue]) -> String {
        content.sorted { $0.key < $1.key }.map { type, value in
            let schema = Self.type(value["schema"] ?? .null)
            guard type != "application/json" else { return schema }
            return schema.isEmpty ? type.asCode : "\(type.asCode): \(schema)"
        }.joined(separator: ", ")
    }

    /// A schema in a few words, such as `list of Session`.
    static func type(_ schema: JSONValue) -> String {
        if let reference = schema["$ref"]?.string {
            let name = String(reference.split(separator: "/").last ?? "")
            return "[\(name)](#\(name.lowercased()))"
        }
        if let choices = schema["anyOf"]?.array {
            return choices.map(type).filter { !$0.isEmpty }.joined(separator: " or ")
        }
        if let words = schema["enum"]?.array?.compactMap(\.string) {
            return words.filter { !$0.isEmpty }.map(\.asCode).joined(separator: ", ")
        }
        switch schema["type"]?.string {
        case "string": return schema["format"]?.string ?? "text" + limits(schema, "minLength", "maxLength")
        case "integer": return "whole number" + limits(schema, "minimum", "maximum")
        case "array": return "list of " + type(schema["items"] ?? .null)
        case "object":
            let members = (schema["properties"]?.object ?? [:]).sorted { $0.key < $1.key }
            guard !members.isEmpty else { return "object" }
            return "object: " + members.map { "\($0.key.asCode) (\(type($0.value)))" }.joined(separator: ", ")
        case let other?: return other
        case nil: return ""
        }
    }

    private static func limits(_ schema: JSONValue, _ least: String, _ most: String) -> String {
        guard let from = schema[least]?.integer, let to = schema[most]?.integer else { return "" }
        return " (\(from) to \(to))"
    }
}
