// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellPlan

/// `docs/plan.md`: every part of a plan file.
enum PlanPage {
    static var lines: [String] {
        get throws {
            var lines = introduction
            lines += try section("Keys of the file", [], "These are the keys at the top of the file.")
            lines += try section("Subject", ["subject"], "The mapping `subject`: each row of its table is one subject.")
            lines += tableRules
            lines += try section("Keys of a table", ["table"], "An entry of `tables` has these keys.")
            lines += try section("Links", ["link"], "An entry of a table's `links` has these keys.")
            lines += columnRules
            lines += try section("Keys of a column", ["columnRule", "anyOf", "last"], column)
            lines += expressions
            lines += try section("Questions", ["question"], "An entry of `questions` has these keys.")
            lines += try section("Folders", ["folder"], folder)
            lines += try section("Effects of triggers", ["effect"], "An entry of `effects` has these keys.")
            lines += try section("Systems", ["system"], "An entry of `systems` has these keys.")
            lines += try section(
                "Items of a system", ["system", "properties", "owned"], "The mapping `owned` of a system.")
            let secrets = ["system", "properties", "secrets", "additionalProperties"]
            lines += try section("Secrets of a system", secrets, "The place of a secret has one of these keys.")
            return lines + kinds
        }
    }

    private static let introduction = [
        "# The plan", "",
        "The plan, `farewell.yaml`, says for each table, folder and third-party system what happens to a subject's",
        "data. `farewell init` writes it, `farewell decide` answers its questions, and `farewell check` compares it",
        "with the database. With [the JSON Schema](farewell.schema.json) (`farewell plan --schema`), editors complete",
        "and check it. Unknown keys are errors.",
    ]

    private static let column =
        "A column's rule can be a mapping that also says how an export treats the value: `{rule: retain, export: no}`."
    private static let folder =
        "An entry of `folders` has either `folder` or `column`: `photos: {root: ./photos, folder: \"{subject}/\"}`."

    /// A table of the keys of a definition in the schema.
    private static func section(_ title: String, _ path: [String], _ about: String) throws -> [String] {
        let keys = try PlanReference.keys(path.isEmpty ? [] : ["$defs"] + path)
        let rows = keys.map { key -> [String] in
            let words = key.words.map(\.asCode).joined(separator: ", ")
            let example = "\(key.name): \(key.example)"
            return [key.name.asCode, key.isRequired ? "yes" : "", key.meaning, words, example.asCode]
        }
        let table = MarkdownTable(["key", "required", "meaning", "values", "example"], rows: rows)
        return ["", "## \(title)", "", about, ""] + table.lines
    }

    // MARK: Rules

    private static var tableRules: [String] {
        var lines = ["", "## Rules for tables", "", "Every table has one of these rules."]
        for rule in PlanReference.tableRules {
            lines += ["", "### `\(rule.word)`", "", rule.meaning, ""]
            lines += yaml("tables:", rule.example.split(separator: "\n").map(String.init))
        }
        return lines
    }

    private static var columnRules: [String] {
        let rows = PlanReference.columnRules.map { rule in
            [rule.word.asCode, rule.meaning, "columns: {name: \(rule.example)}".asCode]
        }
        let about =
            "If rows stay, every column has a rule. If rows are erased, only `large object` has an effect, and "
            + "`not personal` answers a suspicion of `farewell check`."
        return ["", "## Rules for columns", "", about, ""]
            + MarkdownTable(["rule", "meaning", "example"], rows: rows).lines
    }

    private static var expressions: [String] {
        let operands = [
            ["column", "The value of a column of the same row.", "{expression: city}".asCode],
            ["text", "The text itself.", "{expression: \"'unknown'\"}".asCode],
            ["number", "The whole number itself.", "{expression: 0}".asCode],
        ]
        let functions = ColumnExpression.Function.allCases.map { function in
            [
                function.rawValue.asCode, "\(function.meaning) It takes \(function.arity).",
                "{expression: \"\(function.example)\"}".asCode,
            ]
        }
        let table = MarkdownTable(["expression", "meaning", "example"], rows: operands + functions)
        return [
            "", "## Expressions", "",
            "An expression is a column, a text in single quotes, a whole number, or a call of a function.",
            "Double quotes enclose unusual names of columns. Quotes inside quotes are doubled. Calls nest at most",
            "\(ColumnExpression.greatestDepth) deep.", "",
        ] + table.lines
    }

    // MARK: Systems

    private static var kinds: [String] {
        var lines = [
            "", "## Kinds of systems", "",
            "`kind` selects one of these kinds. Every kind also accepts the setting `\(SystemKind.rate.name)`, which",
            "limits the calls per second that one process makes to the system (1 to 1000). [Third-party",
            "systems](systems/README.md) describes how each kind proves an erasure, and where Farewell looks for",
            "credentials.",
        ]
        for kind in SystemKind.all {
            lines += ["", "### `\(kind.name)`", "", kind.purpose, ""] + table(of: kind).lines + [""]
            lines += yaml("systems:", kind.example)
        }
        return lines
    }

    private static func table(of kind: SystemKind) -> MarkdownTable {
        func row(_ part: SystemKind.Part, _ type: String) -> [String] {
            [part.name.asCode, type, part.isRequired ? "yes" : "", part.meaning]
        }
        let rows = kind.settings.map { row($0, "setting") } + kind.secrets.map { row($0, "secret") }
        return MarkdownTable(["name", "type", "required", "meaning"], rows: rows)
    }

    private static func yaml(_ head: String, _ entry: [String]) -> [String] {
        ["```yaml", head] + entry.map { "  " + $0 } + ["```"]
    }
}
