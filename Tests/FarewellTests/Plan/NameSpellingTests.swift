// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

struct NameSpellingTests {
    private static let pieces = [
        "e", "\u{E9}", "\u{301}", "\u{327}", "A", "\u{30A}", "\u{212B}", "\u{C5}", "\u{1112}", "\u{1161}", "\u{D558}", "\u{F900}",
        "\\", "u", "{", "}", "5c", "301", "\"", ".", "x", "\n",
    ]

    @Test("SY-2 spellings of names are equal only if the names have the same bytes, and lead back to them")
    func exact() {
        var names: [[UInt8]: String] = [:]
        for one in Self.pieces {
            for other in Self.pieces {
                for third in Self.pieces { names[Array((one + other + third).utf8)] = one + other + third }
            }
        }
        for long in ["\u{E9}", "e\u{301}", #"\u{301}"#].map({ String(repeating: $0, count: 600) }) { names[Array(long.utf8)] = long }
        names[Array(#"\u{301}"#.utf8)] = #"\u{301}"#
        names[Array(#"e\u{5c}u{301}"#.utf8)] = #"e\u{5c}u{301}"#
        var seen: Set<String> = []
        for name in names.values {
            let spelling = NameSpelling.of(name)
            #expect(seen.insert(spelling).inserted, "\(name.debugDescription)")
            #expect(NameSpelling.name(spelling).utf8.elementsEqual(name.utf8), "\(name.debugDescription)")
            #expect(NameSpelling.typed(spelling).utf8.elementsEqual(spelling.utf8), "\(name.debugDescription)")
        }
    }

    @Test("SY-2 a plan may have a name as the database has it, or with the escapes of its spelling")
    func typed() {
        let (composed, parts) = ("caf\u{E9}", "cafe\u{301}")
        #expect(TableName(parsing: parts) == TableName(parsing: #""cafe\u{301}""#))
        #expect(TableName(parsing: parts) != TableName(parsing: composed))
        #expect(TableName(parsing: composed)?.name.utf8.elementsEqual(composed.utf8) == true)
        #expect(ColumnName(parsing: "t.\(parts)")?.column == #"cafe\u{301}"#)
    }
}
