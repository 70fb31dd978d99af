// SPDX-License-Identifier: Apache-2.0
import Testing

/// Compares the claims of `docs/conformance.md` with the existing tests.
@Suite("The list of requirements")
struct ConformanceTests {
    /// One line of the list: `| BX-2 | says | "test", "test" | status |`.
    struct Line {
        let id: String
        let tests: [String]
        let status: String

        init?(_ text: Substring) {
            let cells = ConformanceTests.cells(text)
            guard cells.count == 6, ConformanceTests.identifiers.contains(cells[1]) else { return nil }
            id = cells[1]
            // Names stand between quotation marks: every second piece.
            tests = cells[3].split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            status = cells[4]
        }
    }

    /// The cells of a table's line, without the spaces around them.
    static func cells(_ line: Substring) -> [String] {
        line.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map { cell in
            var cell = cell.drop { $0 == UInt8(ascii: " ") }
            while cell.last == UInt8(ascii: " ") { cell.removeLast() }
            return String(Substring(cell))
        }
    }

    static let identifiers: [String] = requirements + cases

    private static let requirementCounts: [(prefix: String, last: Int)] = [
        ("SO", 14), ("AD", 9), ("SV", 9), ("CF", 6), ("SE", 10), ("BX", 10), ("PL", 9), ("OP", 6), ("SB", 5), ("SY", 4),
        ("SC", 4), ("AP", 4), ("DX", 3), ("PK", 3), ("EX", 3),
    ]

    static let requirements: [String] = requirementCounts.flatMap { prefix, last in
        (1...last).map { "\(prefix)-\($0)" }
    }

    /// Inputs that failed once; each number has two digits, and some numbers do not exist.
    private static let caseNumbers: [(prefix: String, last: Int, missing: [Int])] = [
        ("SQL", 30, [5]), ("SCH", 10, []), ("SYS", 13, []), ("OPS", 10, [4, 8]), ("SUP", 1, []), ("SRV", 6, []), ("APP", 12, []),
    ]

    static let cases: [String] = caseNumbers.flatMap { prefix, last, missing in
        (1...last).filter { !missing.contains($0) }.map { number in "\(prefix)-\(number < 10 ? "0" : "")\(number)" }
    }

    let tree = SourceTree.ofThisPackage
    /// Read once: thousands of names are compared with them.
    static let linesOfThisPackage = SourceTree.ofThisPackage["docs/conformance.md"]?.lines.compactMap(Line.init) ?? []
    static let testNamesOfThisPackage = SourceTree.ofThisPackage.files.flatMap { $0.testNames.map(\.name) }
    var lines: [Line] { Self.linesOfThisPackage }
    var testNames: [String] { Self.testNamesOfThisPackage }

    @Test("every requirement has exactly one line")
    func complete() {
        #expect(lines.map(\.id).sorted() == Self.identifiers.sorted())
    }

    @Test("a line that claims a test names an existing one")
    func claims() {
        let existing = Set(testNames)
        for line in lines {
            for test in line.tests where !existing.contains(test) {
                Issue.record("\(line.id): no test is named \"\(test)\"")
            }
        }
    }

    @Test("the status matches the tests", arguments: ["open", "part", "proved"])
    func status(status: String) {
        for line in lines where line.status == status {
            #expect(line.tests.isEmpty == (status == "open"), "\(line.id) is \(status) with \(line.tests.count) tests")
        }
        #expect(lines.allSatisfy { ["open", "part", "proved"].contains($0.status) })
    }

    /// One line of what is not proved: `| SO-4 | The tap is felt. |`.
    static func missing(_ text: Substring) -> (id: String, fact: String)? {
        let cells = cells(text)
        guard cells.count == 4, identifiers.contains(cells[1]) else { return nil }
        return (cells[1], cells[2])
    }

    @Test("a line is proved, or names what is missing or what only an Apple machine can show")
    func missing() {
        let facts = (tree["docs/conformance.md"]?.lines ?? []).compactMap(Self.missing)
        let parts = lines.filter { $0.status != "proved" }.map(\.id)
        #expect(facts.map(\.id).sorted() == parts.sorted())
        for (id, fact) in facts { #expect(fact.hasSuffix(".") && fact.contains(" "), "\(id): \(fact)") }
        #expect(Self.missing("| SO-4 | The tap is felt. |")?.fact == "The tap is felt." && Self.missing("| SO-4 | a | b | part |") == nil)
    }

    @Test("at least one of the tests in a line carries its identifier")
    func carried() {
        for line in lines where !line.tests.isEmpty {
            #expect(line.tests.contains { Self.identifiers(in: $0).contains(line.id) }, "\(line.id) names other tests only")
        }
    }

    @Test("a test that carries an identifier is listed in its line")
    func unclaimed() {
        let claimed = Dictionary(lines.map { ($0.id, Set($0.tests)) }) { first, _ in first }
        for name in testNames {
            for id in Self.identifiers(in: name) where claimed[id]?.contains(name) != true {
                Issue.record("docs/conformance.md does not name \"\(name)\" for \(id)")
            }
        }
    }

    /// Of the security requirements, those of tokens, sessions, codes, logs and proofs.
    @Test("every listed item has a test that carries its number", arguments: [1...27, 33...36, 53...60].flatMap { $0 })
    func items(number: Int) {
        #expect(testNames.contains { Self.items(in: $0).contains(number) })
    }

    /// The first words of the lines in the second kind of table: public failures of other systems.
    static let failures = [
        "CVE-2026-31813", "GHSA-3529-5m8x-rpv3", "supabase/auth #2612", "CVE-2026-9802", "CVE-2026-7507", "CVE-2026-22817",
        "CVE-2026-34950", "CVE-2026-48523", "APITable #1812", "AIxBlock #58", "Better Auth", "River #1302", "JWTKit",
        "supabase-swift", "supabase-js #1616",
    ]

    @Test("every listed failure of another system has a line, whose tests exist and carry its item", arguments: failures)
    func failure(name: String) throws {
        let line = try #require(tree["docs/conformance.md"]?.lines.first { $0.hasPrefix("| \(name)") }, "no line for it")
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        try #require(cells.count == 6)
        let tests = cells[4].split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        let existing = Set(testNames)
        #expect(!tests.isEmpty && tests.allSatisfy(existing.contains), "\(tests)")
        for item in cells[3].split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init) {
            #expect(tests.contains { Int(item).map(Self.items(in: $0).contains) ?? Self.words($0).contains(item) }, "\(item)")
        }
    }

    static func words(_ name: String) -> [String] { name.split { !$0.isLetter && !$0.isNumber }.map(String.init) }

    @Test("items are read one by one, in lists and in ranges")
    func itemNames() {
        #expect(Self.items(in: "SE-6 Item 18: 64 at once") == [18])
        #expect(Self.items(in: "Items 1, 2, 15: a") == [1, 2, 15])
        #expect(Self.items(in: "Items 1 to 4: of 12") == [1, 2, 3, 4])
        #expect(Self.items(in: "BX-6 P9 Item 56 no canary") == [56])
        #expect(Self.items(in: "an item that is none") == [])
    }

    /// The numbers after `Item` or `Items`: `7`, `7, 8`, `1 to 15`.
    static func items(in name: String) -> [Int] {
        guard let match = name.firstMatch(of: #/Items? ((?:\d+(?:, | to )?)+)/#) else { return [] }
        let range = match.1.split(separator: " to ").compactMap { Int($0) }
        if range.count == 2 { return Array(range[0]...range[1]) }
        return match.1.split(separator: ", ").compactMap { Int($0) }
    }

    static func identifiers(in name: String) -> [String] {
        name.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init).filter(identifiers.contains)
    }

    @Test("a line is read as written")
    func parsing() throws {
        let line = try #require(Line("| BX-2 | Preview. | \"BX-2 a b\", \"c d\" | proved |"))
        #expect(line.id == "BX-2" && line.tests == ["BX-2 a b", "c d"] && line.status == "proved")
        #expect(Line("| BX-99 | | | open |") == nil)
        #expect(Line("BX-2") == nil)
    }
}
