// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// The few expressions that the two databases write differently.
struct SampleExpressions: Sendable {
    let dialect: SQLDialect
    let keys: SampleKeys

    func uuid(_ kind: SampleKeys.Kind, _ number: String) -> String { keys.uuid(kind, number, dialect) }

    /// The instant of row `m` of `count`, from the start of 2024 for two years.
    func instant(of count: Int) -> String { instant("m * 63072000 / \(max(count, 1))") }

    /// So many seconds after the start of 2024.
    func instant(_ seconds: String) -> String {
        switch dialect {
        case .postgresql: "to_timestamp(1704067200 + \(seconds))"
        case .sqlite: "strftime('%Y-%m-%dT%H:%M:%S', 1704067200 + \(seconds), 'unixepoch') || '.000000Z'"
        }
    }

    /// The day that is this number of days after the start of 1970.
    func day(_ days: String) -> String {
        switch dialect {
        case .postgresql: "date '1970-01-01' + (\(days))::int"
        case .sqlite: "date((\(days)) * 86400, 'unixepoch')"
        }
    }

    /// A JSON document from an expression that is its text.
    func json(_ text: String) -> String {
        dialect == .postgresql ? "(\(text))::jsonb" : text
    }

    func text(_ value: String) -> String { dialect == .postgresql ? "(\(value))::text" : "(\(value))" }

    /// One of the given sentences, by a number.
    func one(of sentences: [String], by number: String) -> String {
        let cases = sentences.enumerated().dropFirst().map { "WHEN \($0) THEN '\($1)'" }.joined(separator: " ")
        return "CASE \(number) % \(sentences.count) \(cases) ELSE '\(sentences[0])' END"
    }
}
