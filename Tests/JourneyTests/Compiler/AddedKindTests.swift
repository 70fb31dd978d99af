// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Adds kinds that the package does not have to its sources, and counts the places that the compiler wants changed.
@Suite("Kinds that a test adds to the sources")
struct AddedKindTests {
    /// A kind of rule that only tests have.
    private struct AddedRule {
        /// The name of its type and of its own file, by which `RuleKindTests` reads, checks and writes with it.
        let type: String
        /// Its case, and the one that it stands for in those tests.
        let name: String
        let standIn: String
        /// The file of the cases, and the file that lists the kinds.
        let cases: String
        let list: String

        func ownFile(in sources: EditedSources) throws -> String {
            try sources.text(of: "Tests/FarewellPlanTests/Rules/\(type).swift")
                .replacing(".\(standIn)", with: ".\(name)").replacing("@testable import FarewellPlan\n", with: "")
                .replacing("\nimport Yams", with: "\ninternal import Yams")
        }
    }

    private static let folder = "Sources/FarewellPlan/Rules/"
    private static let rules = [
        AddedRule(
            type: "ShortenColumnRule", name: "shorten", standIn: "keyedHash", cases: "Sources/Farewell/Plan/ColumnRule.swift",
            list: folder + "ColumnRule+Kind.swift"),
        AddedRule(
            type: "ArchiveRule", name: "archive", standIn: "erase", cases: "Sources/Farewell/Plan/Rule.swift",
            list: folder + "Rule+Kind.swift"),
    ]
    private static let events = "Sources/FarewellErasure/Events/ErasureEventKind.swift"

    /// The names of an enumeration's cases.
    private static func cases(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("    case ") }
            .map { String($0.dropFirst("    case ".count).prefix { $0.isLetter }) }
    }

    @Test("a kind of rule needs its own file, its case and its lines in the list of kinds; a kind of event needs only its case")
    func places() async throws {
        var sources = try EditedSources()
        defer { sources.remove() }
        let oldEvents = Self.cases(in: try sources.text(of: Self.events))
        for rule in Self.rules {
            try sources.write(try rule.ownFile(in: sources), to: Self.folder + "\(rule.type).swift")
            try sources.add("    case \(rule.name)", after: "    case notPersonal", in: rule.cases)
        }
        try sources.add("    case archived = \"erasure.archived\"", after: "\"erasure.reappeared\"", in: Self.events)
        let cases = try (Self.rules.map(\.cases) + [Self.events]).flatMap { Self.cases(in: try sources.text(of: $0)) }
        #expect(["shorten", "archive", "archived", "notPersonal", "done"].allSatisfy(cases.contains))
        try await sources.make("Farewell")

        let missing = try await sources.errors(in: "FarewellPlan", naming: cases)
        #expect(missing.sorted() == Self.rules.map { "\($0.list): switch must be exhaustive" })
        for rule in Self.rules {
            try sources.add("        \(rule.type).self,", after: "Kind.Type] = [", in: rule.list)
            try sources.add("        case .\(rule.name): \(rule.type)()", after: "        switch self {", in: rule.list)
        }
        #expect(try await sources.errors(in: "FarewellPlan", naming: []) == [])

        try await sources.make("FarewellErasure")
        // What a further place would look like: it distinguishes all kinds of events that there were.
        let place = "Sources/FarewellErasure/Events/EventWords.swift"
        let words = oldEvents.map { "    case .\($0): \"\"\n" }.joined()
        try sources.write("func words(_ kind: ErasureEventKind) -> String {\n    switch kind {\n\(words)    }\n}\n", to: place)
        #expect(try await sources.errors(in: "FarewellErasure", naming: cases) == ["\(place): switch must be exhaustive"])
        for module in ["FarewellServer", "FarewellCommand"] {
            #expect(try await sources.errors(in: module, naming: cases) == [])
        }
    }
}
