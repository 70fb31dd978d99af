// SPDX-License-Identifier: Apache-2.0

@testable import FarewellSQL
import Testing

@Suite("Statements in SQLite's spelling")
struct SQLiteSpellingTests {
    @Test("SC-2 statements that differ in one byte, or only in how a letter is composed, are never taken for each other")
    func apart() {
        var spelling = SQLiteSpelling()
        let filling = String(repeating: "a", count: 999)
        // Of equal length, and different at one place only.
        let alike = (0..<filling.count).map { place in
            "SELECT '" + filling.prefix(place) + "b" + filling.dropFirst(place + 1) + "' WHERE $1 = $2"
        }
        for _ in 1...2 {
            for text in alike { #expect(spelling.text(text) == text.replacing("$", with: "?")) }
        }
        let composed = ["\u{E9}", "e\u{301}"].map { spelling.text("SELECT '\($0)'") }
        #expect(composed[0] != composed[1])
        #expect(spelling.text("") == "" && spelling.text("SELECT 1") == "SELECT 1")
    }
}
