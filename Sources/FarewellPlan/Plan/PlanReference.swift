// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// The parts of a plan file as values for the documentation. `PlanJSONSchema` and the kinds of rules are the source.
package enum PlanReference {
    /// A key of a mapping in the plan file.
    package struct Key: Sendable, Hashable {
        package let name: String
        package let isRequired: Bool
        package let meaning: String
        /// The accepted words; empty if the value is free.
        package let words: [String]
        /// The value as YAML.
        package let example: String
    }

    /// A kind of rule.
    package struct Kind: Sendable, Hashable {
        package let word: String
        package let meaning: String
        package let example: String
    }

    /// The rules for tables.
    package static var tableRules: [Kind] {
        TableRules.all.map { Kind(word: $0.word, meaning: $0.meaning, example: $0.example.joined(separator: "\n")) }
    }

    /// The rules for columns.
    package static var columnRules: [Kind] {
        ColumnRules.all.map { Kind(word: $0.word, meaning: $0.meaning, example: "\($0.example)") }
    }

    /// The keys of a mapping in the schema, in the schema's order.
    ///
    /// - Parameter path: The members that lead to it from the root, such as `$defs`, `table`; `last` is the last one of
    ///   an array.
    package static func keys(_ path: [String] = []) throws -> [Key] {
        guard var node = try Yams.compose(yaml: PlanJSONSchema.text) else { return [] }
        for part in path { node = (part == "last" ? node.sequence?.last : node[part]) ?? node }
        let required = Set(node["required"]?.array().compactMap(\.string) ?? [])
        let shown = node["properties"]?.mapping ?? [:]
        return shown.compactMap { name, value in
            guard let name = name.string else { return nil }
            var words: [String] = []
            for word in value["enum"]?.array() ?? [] {
                if let text = word.string, !words.contains(text) { words.append(text) }
            }
            return Key(
                name: name, isRequired: required.contains(name), meaning: value["description"]?.string ?? "",
                words: words, example: value["examples"]?.array().first.map(written) ?? "")
        }
    }

    /// A value as YAML in one line.
    private static func written(_ node: Node) -> String {
        switch node {
        case .scalar(let scalar):
            let isText = scalar.style == .doubleQuoted
            return isText && !isPlain(scalar.string) ? YAMLScalar.quoted(scalar.string) : scalar.string
        case .sequence(let values): return "[" + values.map(written).joined(separator: ", ") + "]"
        case .mapping(let pairs):
            return "{" + pairs.map { "\($0.key.string ?? ""): \(written($0.value))" }.joined(separator: ", ") + "}"
        case .alias: return ""
        }
    }

    /// Whether YAML needs no quotes around a text, in a flow mapping too.
    private static func isPlain(_ text: String) -> Bool {
        text.wholeMatch(of: #/[A-Za-z0-9.][A-Za-z0-9_.\/ -]*[A-Za-z0-9_\/.]|[A-Za-z]/#) != nil
            && !["null", "true", "false"].contains(text)
    }
}
