// SPDX-License-Identifier: Apache-2.0

/// Rules about tests.
let testRules: [HouseRule] = [running, waitingTests, sentences]

private let running = HouseRule(
    sentence: "no test is switched off, and none cannot fail",
    refuses: SourceFile("Tests/ATests/Bad.swift", "@Test(\"a b\", .disabled(\"later\")) func a() {}"),
    accepts: SourceFile("Tests/ATests/Good.swift", "@Test(\"a b\") func a() { #expect(b()) }")
) { file in
    guard file.isTest else { return [] }
    return file.code(holding: [
        ".disabled(", ".enabled(if", "withKnownIssue", "XCTSkip", "Test.cancel", "#expect(true)", "import XCTest",
    ])
}

private let waitingTests = HouseRule(
    sentence: "no test sleeps",
    refuses: SourceFile("Tests/ATests/Bad.swift", "sleep(1)"),
    accepts: SourceFile("Tests/ATests/Good.swift", "try await clock.sleep(for: .seconds(1))")
) { file in
    guard file.isTest else { return [] }
    return file.swift.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        .filter { _, line in line.hasPrefix("sleep(") || line.contains(" sleep(") }
        .map { .init(line: $0.offset + 1, what: "`sleep(`") }
}

private let sentences = HouseRule(
    sentence: "the name of a test is a sentence",
    refuses: SourceFile("Tests/ATests/Bad.swift", "@Test func testErase() {}"),
    accepts: SourceFile("Tests/ATests/Good.swift", "@Test(\"a cascade leaves no row\")\nfunc a() {}")
) { file in
    guard file.isTest else { return [] }
    let named = file.testNames.filter { $0.name.split(separator: " ").count >= 2 }.map(\.line)
    return file.swift.code.places(of: "@Test").filter { !named.contains($0) && !named.contains($0 + 1) }
        .map { .init(line: $0, what: "give it a sentence: @Test(\"…\")") }
}

extension SourceFile {
    /// The display names of the tests declared here, each with the line its name stands on.
    var testNames: [(name: String, line: Int)] {
        guard isTest else { return [] }
        let bytes = Array(swift.code.utf8)
        return swift.literals.compactMap { literal in
            var before = bytes[..<literal.offset]
            while before.last == 32 || before.last == 10 || before.last == UInt8(ascii: "#") { before.removeLast() }
            return before.suffix(6).elementsEqual("@Test(".utf8) ? (literal.text, literal.line) : nil
        }
    }
}
