// SPDX-License-Identifier: Apache-2.0
import Testing

/// How many places a new kind of a thing touches, counted in the source. `AddedKindTests` adds kinds, and the compiler counts.
@Suite("Touch points")
struct TouchPointTests {
    private let sources = SourceTree.ofThisPackage.files.filter(\.isSource)

    // MARK: Rules

    /// The only files that may tell the cases of `Rule` and of `ColumnRule` from each other.
    private static let ruleSwitches: Set = [
        "Sources/FarewellPlan/Rules/Rule+Kind.swift", "Sources/FarewellPlan/Rules/ColumnRule+Kind.swift",
    ]

    /// The marks of a branch over rules: patterns of cases that no other type has, and comparisons.
    private static let ruleBranches = [
        "case .retain", "case .notPersonal", "case .keyedHash", "rule == .", "rule != .",
        "== .notPersonal", "!= .notPersonal", "== .keyedHash", "!= .keyedHash", "case .constant", "case .expression",
        "case .largeObject", "case .erase", "case let .constant", "case let .expression", "== .largeObject",
        "!= .largeObject", "switch rule", "switch planned.rule", "switch rules[",
    ]

    @Test("one file for tables and one for columns distinguishes rules; all others use the rule's kind")
    func ruleSwitches() {
        let files = Set(sources.filter { !$0.code(holding: Self.ruleBranches).isEmpty }.map(\.path))
        #expect(files == Self.ruleSwitches)
        // These cases have names that other types use too: here they count beside a mention of a rule.
        let alike = sources.filter { file in
            file.swift.code.split(separator: "\n").contains { line in
                line.contains("rule")
                    && ["case .null", "== .null", "!= .null", "== .erase", "!= .erase", "case .anonymise"].contains(where: line.contains)
            }
        }
        #expect(alike.map(\.path) == [])
    }

    @Test("a new kind of rule consists of its own file, its case, and its lines in the list of all kinds")
    func ruleKinds() {
        for (kind, cases) in [("TableRuleKind", "Rule"), ("ColumnRuleKind", "ColumnRule")] {
            let own = sources.filter { $0.swift.code.contains(": \(kind) {") }
            #expect(own.count >= 4)
            for file in own {
                let type = String(file.name.dropLast(".swift".count))
                let places = sources.filter { !$0.code(holding: [type]).isEmpty }.map(\.path)
                let list = "Sources/FarewellPlan/Rules/\(cases)+Kind.swift"
                #expect(places.sorted() == [file.path, list].sorted(), "\(type) is named elsewhere")
                #expect(SourceTree.ofThisPackage[list]?.code(holding: [type]).count == 2, "\(type): its case, and in the list")
                #expect(file.path == "Sources/FarewellPlan/Rules/\(type).swift")
            }
        }
    }

    @Test("a rule's words are written in its own file")
    func ruleWords() {
        for word in ["anonymise", "not personal"] {
            // The answer to a question has the word of the rule that follows from it.
            let files = sources.filter { file in
                file.name != "PlanQuestion.swift" && file.swift.literals.contains { $0.text == word }
            }.map(\.path)
            #expect(files.allSatisfy { $0.hasPrefix("Sources/FarewellPlan/Rules/") }, "\(word): \(files)")
        }
    }

    // MARK: Events

    @Test("a new kind of event is one case: no file lists or distinguishes all kinds")
    func eventKinds() throws {
        let path = "Sources/FarewellErasure/Events/ErasureEventKind.swift"
        let file = try #require(SourceTree.ofThisPackage[path])
        let words = file.swift.literals.map(\.text).filter { $0.hasPrefix("erasure.") }
        #expect(words.count >= 7)
        let lists = sources.filter { source in
            let said = Set(source.swift.literals.map(\.text)).intersection(words)
            return said.count > words.count / 2
        }
        #expect(lists.map(\.path) == [path])
        let names = file.swift.code.split(separator: "\n").filter { $0.contains("    case ") }
            .compactMap { $0.split(separator: " ").dropFirst().first.map { "case .\($0)" } }
        #expect(names.count == words.count)
        let switches = sources.filter { source in
            names.allSatisfy { !source.code(holding: [$0]).isEmpty }
        }
        #expect(switches.map(\.path) == [])
    }

    // MARK: Keys

    @Test("SC-1 the test of all pairs enumerates each type that lists purposes of keys, and no text derives a key")
    func keyPurposes() throws {
        let types = sources.flatMap { file in
            file.swift.code.split(separator: "\n").filter { $0.contains(": KeyPurpose {") || $0.contains(", KeyPurpose {") }
                .compactMap { $0.split(separator: ":").first?.split(separator: " ").last.map(String.init) }
        }
        #expect(types.count >= 6)
        let pairs = try #require(SourceTree.ofThisPackage["Tests/FarewellServerTests/Purposes/KeyPurposes.swift"])
        for type in types { #expect(pairs.swift.code.contains("\(type).self"), "\(type) is not enumerated") }
        // Apps have keys of devices only.
        let derivations = sources.filter { file in
            file.module != "FarewellClient" && !file.code(holding: [".derived(for:", "HKDF<"]).isEmpty
        }
        #expect(
            derivations.map(\.path).sorted() == ["KeyStore", "RunSeal", "Secret"].map { "Sources/FarewellKeys/Keys/\($0).swift" })
    }

    // MARK: Dialects

    /// So many files outside FarewellSQL may still ask which dialect it is: lower it when there are fewer, and ask
    /// one of the questions in `SQLDialect+Traits.swift` instead of raising it. There were 84; the rest make example data.
    private static let dialectFiles = 7

    @Test("a dialect is examined only in FarewellSQL; ever fewer files elsewhere branch over it")
    func dialects() {
        let comparisons = ["== .postgresql", "!= .postgresql", "== .sqlite", "!= .sqlite"]
        let files = sources.filter { $0.module != "FarewellSQL" }.filter { file in
            !file.code(holding: comparisons).isEmpty
                || file.swift.code.split(separator: "\n").contains { line in
                    line.contains("case ") && (line.contains(".postgresql") || line.contains(".sqlite"))
                }
        }
        #expect(files.count <= Self.dialectFiles, "\(files.map(\.path))")
    }

    /// So many files outside FarewellSQL may still choose between two texts of SQL by a question about the dialect:
    /// lower it when there are fewer, and give `SQLDialect` an expression instead of raising it. There were 20.
    private static let dialectChoices = 15

    @Test("the dialect writes its own SQL; ever fewer files elsewhere choose between texts by a question about it")
    func dialectChoices() {
        let files = sources.filter { $0.module != "FarewellSQL" && !$0.code(holding: ["dialect."]).isEmpty }
            .filter { Self.choosesText($0.text) }
        #expect(files.count <= Self.dialectChoices, "\(files.map(\.path))")
        #expect(Self.choosesText("dialect.hasArrays\n  ? \"a\" : \"b\"") && Self.choosesText("x.dialect.isFile ? #\"a\"#"))
        #expect(!Self.choosesText("dialect.hasArrays ? a : b") && !Self.choosesText("dialect.unpacked(\"a\")"))
    }

    /// Whether a literal follows a question about the dialect and its question mark.
    private static func choosesText(_ text: String) -> Bool {
        text.split(separator: "dialect.", omittingEmptySubsequences: false).dropFirst().contains { rest in
            let asked = rest.drop { $0.isLetter }.drop { $0.isWhitespace }
            return asked.first == "?" && asked.dropFirst().drop { $0.isWhitespace || $0 == "#" }.first == "\""
        }
    }

    @Test("a question about the dialect has one name: no property elsewhere gives it another")
    func dialectAliases() {
        let files = sources.filter { $0.module != "FarewellSQL" && !$0.code(holding: ["dialect."]).isEmpty }
        #expect(files.count > 20)
        #expect(files.filter { Self.renamesQuestion($0.swift.code) }.map(\.path) == [])
        for alias in [
            "var postgres: Bool { graph.dialect.hasColumnTypes }", "private var isOld: Bool { !dialect.hasArrays }",
            "var isDatabases: Bool {\n    database.dialect.hasClock\n}", "let isSQLite: Bool",
        ] {
            #expect(Self.renamesQuestion(alias), "\(alias)")
        }
        #expect(!Self.renamesQuestion("var isQuick: Bool { dialect.hasArrays && !isDistributed }"))
    }

    /// Whether a property is a question about the dialect and nothing else, or is named after a database.
    private static func renamesQuestion(_ code: String) -> Bool {
        var declaration = ""
        // How many of its lines may follow.
        var more = 0
        for line in code.split(separator: "\n") {
            let words = line.split(separator: " ")
            if let place = words.firstIndex(where: { $0 == "var" || $0 == "let" }), place + 2 < words.count,
                words[place + 1].hasSuffix(":"), words[place + 2] == "Bool"
            {
                let name = words[place + 1].lowercased()
                if name.contains("postgres") || name.contains("sqlite") { return true }
                declaration = words.dropFirst(place + 3).joined(separator: " ")
                more = 2
            } else if more > 0 {
                declaration += " " + words.joined(separator: " ")
                more -= 1
            } else {
                continue
            }
            var body = declaration.split(separator: " ")
            guard body.first == "{", body.last == "}" else { continue }
            body = Array(body.dropFirst().dropLast())
            if body.first == "return" { body.removeFirst() }
            let parts = body.first?.split(separator: ".") ?? []
            if body.count == 1, parts.count > 1, parts[parts.count - 2].hasSuffix("dialect"),
                parts.last?.allSatisfy({ $0.isLetter }) == true
            {
                return true
            }
        }
        return false
    }
}
