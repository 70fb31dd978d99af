// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Rows of PostgreSQL are exported by their bytes")
struct ExportBytesTests {
    private static let texts: [String?] = [
        "=1+1", "\u{a0}=1", "\u{ff1d}1", "'", "-5", "007", "-1.5e10", "NaN", "true", "t", "", " ", " x ", "a,b;c", "say \"no\"",
        "one\ntwo\r\n", "\u{1}\u{1f}", "\ttab", "back\\slash", "é e\u{301} 💥", "{\"a\": [1, \"<b>\"]}", nil,
        String(repeating: "long, ", count: 30_000),
    ]
    private static let kinds: [SchemaColumn.Kind] = [.text, .integer, .number, .boolean, .json]
    /// So many rows of each text that they come in several pieces.
    private static let times = 200

    private static let query = SQLStatement(
        "SELECT \(kinds.map { _ in "v" }.joined(separator: ", ")) FROM generate_series(1, \(times)) AS n, "
            + "unnest($1::text[]) WITH ORDINALITY AS u (v, place) WHERE n = 1 OR length(v) < 100 ORDER BY n, place",
        [.array(texts.map { $0.map(SQLValue.text) ?? .null })])

    private static func table(_ fixture: EngineFixture, _ name: String) throws -> ExportedTable {
        let export = RowExport(
            share: .own, table: fixture.name("people"), place: "people", rule: .erase, label: "People",
            columns: kinds.enumerated().map { .init(name: "c\"\($0)", label: "c\($0)", kind: $1) }, omitted: [],
            rows: RowStatement(text: "", slots: []), rest: nil)
        func file(_ ending: String) -> ExportFile {
            ExportFile(open("\(fixture.folder)/\(name).\(ending)", O_WRONLY | O_CREAT, 0o600), meter: ExportMeter(), isCounted: false)
        }
        return try ExportedTable(export, csv: file("csv"), json: file("json"), .postgresql)
    }

    @Test("EX-2 a value is written the same from its bytes and from its decoded form, whatever it contains and however many there are")
    func alike() async throws {
        try await EngineFixture.with(.postgresql, "CREATE TABLE people (id integer PRIMARY KEY)") { fixture in
            let (bytes, values) = (try Self.table(fixture, "bytes"), try Self.table(fixture, "values"))
            try await fixture.database.readOnly { connection in
                let reading = try #require(connection as? any TextReading)
                try await reading.readTexts(Self.query) { try bytes.write($0) }
                try await connection.read(Self.query) { try values.write($0) }
            }
            let (one, other) = (try bytes.end(), try values.end())
            #expect(one.rows == other.rows && one.rows == (Self.texts.count - 2) * Self.times + 2)
            #expect(one.first == other.first && one.first.count == 50)
            #expect(one.csv == other.csv && one.json == other.json)
            let json = try Data(contentsOf: URL(fileURLWithPath: fixture.folder + "/bytes.json"))
            #expect(json.count == one.json.bytes && json.starts(with: Data("[\n{\"c\\\"0\":\"=1+1\",".utf8)))
        }
    }

    @Test("EX-2 bytes that are not UTF-8 are replaced, and all others stay")
    func repaired() {
        for (bytes, expected) in [([0x61, 0xff], "a\u{fffd}"), ([0x61], "a"), ([0xc3, 0xa9], "é"), ([], "")] as [([UInt8], String)] {
            var written: [UInt8] = []
            bytes.withUnsafeBufferPointer { ExportText.withUTF8($0, TextContents(of: $0)) { written += $0 } }
            #expect(written == Array(expected.utf8))
        }
    }

    @Test("EX-2 a text that begins like a formula behind white space or characters without width gets an apostrophe, and no other does")
    func formulas() {
        func cell(_ text: String) -> String {
            var written: [UInt8] = []
            ExportText.csv(.text(text), .text, to: &written)
            return String(decoding: written, as: UTF8.self)
        }
        let hidden = [
            "", " ", "\u{1}\u{7f}", "\u{85}", "\u{a0}", "\u{ad}", "\u{200b}\u{feff}", "\u{202e}", "\u{2060}", "\u{3000}", "\u{e0020}",
        ]
        let first = ["=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "'"]
        for before in hidden {
            for character in first {
                let text = before + character + "1"
                #expect(Array(cell(text).utf8) == Array("\"'\(text)\"".utf8), "\(text.unicodeScalars.map(\.value))")
            }
        }
        for text in ["\u{e9}=1", "\u{65e5}=1", "1=1", "\u{301}=1", "\u{fffd}=1", "(=1", "\u{a0}", "\u{a0}a"] {
            #expect(Array(cell(text).utf8) == Array(text.utf8), "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test("EX-2 each byte that decides how a value is written is found at each place of a text of any length, and no other byte is")
    func contents() {
        for length in 0...19 {
            for place in 0..<max(length, 1) {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "!"), count: length)
                    if length > 0 { text[place] = byte }
                    var expected: TextContents = []
                    if length > 0 {
                        switch byte {
                        case ..<0x20: expected = .control
                        case UInt8(ascii: "\""): expected = .quote
                        case UInt8(ascii: ","), UInt8(ascii: ";"): expected = .separator
                        case UInt8(ascii: "\\"): expected = .backslash
                        case 0x80...: expected = .beyondASCII
                        default: break
                        }
                    }
                    let found = text.withUnsafeBufferPointer { TextContents(of: $0) }
                    guard found == expected else {
                        Issue.record("\(byte) at \(place) of \(length): \(found)")
                        return
                    }
                }
            }
        }
    }

    @Test("EX-1 a write error ends the reading, and the connection serves the next transaction")
    func ended() async throws {
        try await EngineFixture.with(.postgresql, "CREATE TABLE people (id integer PRIMARY KEY)") { fixture in
            let seen = Guarded(0)
            let query = SQLStatement("SELECT n::text FROM generate_series(1, 100000) AS s (n)")
            let failure = FarewellError("disk.full", .yoursToFix, "No room.")
            let thrown = await #expect(throws: FarewellError.self) {
                try await fixture.database.readOnly { connection in
                    let reading = try #require(connection as? any TextReading)
                    try await reading.readTexts(query) { rows in
                        let all = seen.withLock { seen in
                            seen += rows.count
                            return seen
                        }
                        if all > 3_000 { throw failure }
                    }
                }
            }
            #expect(thrown?.code == failure.code && (3_001..<10_000).contains(seen.withLock { $0 }))
            let left = try await fixture.count("people")
            #expect(left == 0)
        }
    }
}
