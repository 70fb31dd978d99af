// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Random texts with identifiers in them, searched by Farewell and by regular expressions of this test's own.
@Suite("The search agrees with regular expressions")
struct SearchOracleTests {
    private static let names = [
        "ann@example.org", "zoë.ö@exämple.org", "one-of-a-kind", "Zoë Müller", "5f0c8a4e-abcd-4000-8000-000000000001", "175928847299117063",
    ]
    private static let pieces = [
        " ", ".", ",", "-", "_", "+", "@", "'", "\"", "/", ":", "=", "&", "(", ")", "<", ">", "{", "}", "a", "Z", "7", "0", "é", "e\u{301}",
        "ß",
        "jo", "mary", "org", "s", "\n", "«", "…", "x=", "to ", ";", "\u{200D}", "\u{301}", "Я", "#", "?", "~",
    ]

    private static let word = "\\p{L}\\p{M}\\p{N}\\x{200C}\\x{200D}"

    /// The value is left if none of these is beside it.
    private static func expression(_ name: String) -> String {
        let text = NSRegularExpression.escapedPattern(for: name)
        if name.contains("@") {
            return "(?<![\(word)])(?<![\(word)][.\\-+_'’&~])\(text)(?![\(word)])(?![.\\-_][\(word)])"
        }
        if name.contains("-abcd-") { return "(?<![0-9a-fA-F])\(text)(?![0-9a-fA-F])" }
        if name.hasPrefix("1759") { return "(?<![\(word)])(?<![0-9]\\.)(?<![^A-Za-z0-9_]-)(?<!^-)\(text)(?![\(word)])(?!\\.[0-9])" }
        return "(?<![\(word)])(?<![\(word)][-.@+'’_])\(text)(?![\(word)])(?![-.@+_][\(word)])"
    }

    private static func text(_ random: inout SplitMix) -> String {
        var text = ""
        for _ in 0..<random.number(in: 1...3) {
            for _ in 0..<random.number(in: 0...3) { text += pieces[random.number(in: 0...(pieces.count - 1))] }
            var name = names[random.number(in: 0...(names.count - 1))]
            if random.number(in: 0...3) == 0 { name = name.uppercased() }
            if random.number(in: 0...5) == 0 { name = String(name.unicodeScalars.dropLast()) }
            text += name
        }
        for _ in 0..<random.number(in: 0...3) { text += pieces[random.number(in: 0...(pieces.count - 1))] }
        return text
    }

    @Test(
        "PL-6 SQL-16 SQL-18 SCH-09 the search and regular expressions find the same values in two thousand random texts",
        arguments: SQLDialect.allCases)
    func left(_ dialect: SQLDialect) async throws {
        var random = SplitMix(state: 20_261_126)
        let texts = (0..<2_000).map { _ in Self.text(&random) }
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, email text);
            CREATE TABLE notes (n integer PRIMARY KEY, body text);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            try await fixture.database.withConnection { connection in
                for (number, text) in texts.enumerated() {
                    _ = try await connection.run("INSERT INTO notes VALUES ($1, $2)", .integer(Int64(number)), .text(text))
                }
            }
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { $0.set("notes", .notPersonal) }
            let scan = DeepScan(schema: try await Schema.read(from: fixture.database), plan: plan)
            let subjects = Self.names.map { name in
                name.hasPrefix("1759") ? SearchedSubject(key: name, identifiers: []) : SearchedSubject(key: nil, identifiers: [name])
            }
            let outcomes = try await scan.run(for: subjects, extent: .complete, on: fixture.database)
            for (name, outcome) in zip(Self.names, outcomes) {
                let expression = try NSRegularExpression(pattern: Self.expression(name), options: .caseInsensitive)
                let expected = texts.count { text in
                    expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
                }
                #expect(expected > 20, "the test plants \(name)")
                #expect(outcome.left.values.reduce(0, +) == expected, "\(name)")
            }
        }
    }
}
