// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellConnectors
import FarewellPlan
import FarewellVerifier
import Foundation
import InteropProgram
import Testing

@testable import FarewellCommand

@Suite("The reference pages of the documentation")
struct ReferencePagesTests {
    /// The texts of the sources, without the catalogue itself and the suites for users' tests.
    private static func sources() throws -> [(path: String, text: String)] {
        let root = InteropProgram.root.appending(path: "Sources").path
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        let left = ["References/", "FarewellTesting/", "FarewellClientTesting/"]
        return try files.filter { file in file.hasSuffix(".swift") && !left.contains { file.contains($0) } }.map { file in
            (file, try String(contentsOfFile: root + "/" + file, encoding: .utf8))
        }
    }

    private static let code = #""([a-z][a-z-]*\.[A-Za-z0-9_-]+(?:\.[a-z]+)?)""#

    /// The captures of a pattern in a text. `NSRegularExpression` is compiled: a `Regex` takes minutes in a debug build.
    private static func captures(_ pattern: String, in text: String) throws -> [[String]] {
        let range = NSRange(location: 0, length: text.utf16.count)
        return try NSRegularExpression(pattern: pattern).matches(in: text, range: range).map { match in
            (1..<match.numberOfRanges).compactMap { Range(match.range(at: $0), in: text).map { String(text[$0]) } }
        }
    }

    /// The codes that a pattern captures.
    private static func codes(_ pattern: String, in text: String) throws -> Set<String> {
        Set(try captures(pattern, in: text).compactMap(\.first))
    }

    @Test("DX-2 each generated page of the documentation equals the code's output", arguments: ReferencePage.allCases)
    func current(_ page: ReferencePage) async throws {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("references-\(UUID())").path
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let file = InteropProgram.root.appending(path: "docs/" + page.fileName)
        let text = try await page.text(of: FarewellCommand.self, in: scratch)
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "docs/\(page.fileName) is old: run make references")
    }

    @Test("DX-2 every error and every finding in the sources has one entry in the catalogue, and no entry lacks a source")
    func catalogued() throws {
        let errors = ErrorMeaning.areas.flatMap(\.errors).map(\.code)
        let findings = FindingMeaning.all.map(\.code)
        #expect(Set(errors).count == errors.count && Set(findings).count == findings.count)
        let known = Set(errors + findings)
        let kinds = Set(findings.map { $0.prefix { $0 != "." } })
        var literals: Set<String> = []
        for (path, text) in try Self.sources() {
            literals.formUnion(try Self.codes(Self.code, in: text))
            var used = try Self.codes(#"(?:FarewellError|misuse|make|failure|error|[Ff]inding)\(\s*"# + Self.code, in: text)
            used.formUnion(try Self.codes("FarewellError\\.Code = " + Self.code, in: text))
            used.formUnion(try Self.codes("(?:newer|refusal): " + Self.code, in: text))
            if path.firstMatch(of: #/FarewellPlan\/(Check|Sampling|Rules|Vendors)/#) != nil {
                used.formUnion(try Self.codes(Self.code, in: text).filter { kinds.contains($0.prefix { $0 != "." }) })
            }
            #expect(used.isSubset(of: known), "\(path) uses \(used.subtracting(known)) without an entry in the catalogue")
        }
        literals.formUnion(ErrorsPage.answered + TokenRefusal.allCases.map { "token." + $0.rawValue })
        let unused = known.subtracting(literals).subtracting(["unexpected"])
        #expect(unused.isEmpty, "\(unused) have an entry in the catalogue and no source")
        #expect(Set(ErrorsPage.answered).isSubset(of: known))
    }

    @Test("DX-2 the catalogue names a family that the sources give the error")
    func families() throws {
        let pattern = #"FarewellError\(\s*"([^"]+)",\s*\.([a-zA-Z]+)"#
        let given = try Self.sources().flatMap { try Self.captures(pattern, in: $0.text) }
        let families = Dictionary(grouping: given) { $0[0] }
        #expect(families.count > 50)
        for error in ErrorMeaning.areas.flatMap(\.errors) {
            let found = Set(families[error.code, default: []].map { $0[1] })
            #expect(found.isEmpty || found.contains("\(error.family)"), "\(error.code): \(error.family), not \(found)")
        }
    }

    @Test("DX-2 every metric in the sources is on the page")
    func metrics() throws {
        for (path, text) in try Self.sources() where !path.hasSuffix("Metrics/ServerMetric.swift") {
            #expect(try Self.codes(#"label: "(farewell_[a-z_]+)""#, in: text).isEmpty, "\(path) names a metric itself")
        }
    }

    @Test("DX-2 every kind of system has a description, and its example is a plan that its connector accepts")
    func kinds() async throws {
        let world = ConnectorWorld.live(environment: [:])
        #expect(SystemKind.all.map(\.name).sorted() == ConnectorKinds.names)
        for kind in SystemKind.all {
            let systems = kind.example.map { "  " + $0 }.joined(separator: "\n")
            let plan = try PlanFile.read(
                Array("farewell: 1\nsubject: {table: users, key: id}\ntables: {}\nsystems:\n\(systems)\n".utf8), path: "p")
            #expect(throws: Never.self, "\(kind.name)") {
                try ConnectorKinds.connectors(of: plan, world: world)
            }
        }
        try await world.close()
    }

    @Test("DX-2 the examples of rules and expressions are valid")
    func examples() throws {
        for rule in PlanReference.tableRules {
            let table = rule.example.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
            _ = try PlanFile.read(
                Array("farewell: 1\nsubject: {table: public.users, key: id}\ntables:\n\(table)\n".utf8), path: "p")
        }
        for rule in PlanReference.columnRules {
            let columns = "columns: {name: \(rule.example)}"
            _ = try PlanFile.read(
                Array("farewell: 1\nsubject: {table: u, key: id}\ntables: {u: {rule: anonymise, \(columns)}}".utf8), path: "p")
        }
        for function in ColumnExpression.Function.allCases {
            guard case .call(function, _) = try ColumnExpression(parsing: function.example) else {
                Issue.record("\(function.example) is no call of \(function.rawValue)")
                continue
            }
        }
    }

    @Test("DX-2 the help lists the commands in the order of a first run: plan, erase, prove, serve")
    func groups() throws {
        let help = FarewellCommand.helpMessage()
        let headings = ["PLAN", "ERASE", "PROVE", "SERVE"].map { "\n\($0) SUBCOMMANDS:\n" }
        let places = try headings.map { try #require(help.range(of: $0)?.lowerBound, "\(help)") }
        #expect(places == places.sorted())
        #expect(!help.contains("references"), "it is for the developers of Farewell")
        let commands = FarewellCommand.groups.flatMap(\.subcommands).map { $0._commandName }
        #expect(commands.count == 21 && Array(commands.prefix(3)) == ["init", "decide", "check"])
    }

    @Test("DX-2 completions exist for bash, zsh and fish, and name every command")
    func completions() throws {
        for shell in CompletionsCommand.Shell.allCases {
            let script = FarewellCommand.completionScript(for: shell.kind)
            for command in ["init", "erase", "verify", "serve", "completions"] {
                #expect(script.contains(command), "\(shell.rawValue) lacks \(command)")
            }
            #expect(!script.contains("references"))
        }
        #expect(throws: (any Error).self) { try FarewellCommand.parseAsRoot(["completions", "tcsh"]) }
    }

    @Test("DX-2 a shell completes the path for every option that names a file or a folder")
    func paths() throws {
        let kinds = ["file", "folder", "path", "plan", "erasure-or-file"]
        var known = 0
        func check(_ value: Any, _ command: String) {
            guard let value = value as? [String: Any] else { return }
            for argument in value["arguments"] as? [[String: Any]] ?? [] {
                guard let kind = argument["valueName"] as? String, kinds.contains(kind), argument["kind"] as? String != "flag"
                else { continue }
                known += 1
                let completion = argument["completionKind"] as? [String: Any] ?? [:]
                #expect(
                    completion["file"] != nil || completion["directory"] != nil,
                    "\(command): \(argument["abstract"] ?? kind)")
            }
            for next in value["subcommands"] as? [[String: Any]] ?? [] {
                check(next, "\(command) \(next["commandName"] ?? "")")
            }
        }
        let help = try JSONSerialization.jsonObject(with: Data(FarewellCommand._dumpHelp().utf8)) as? [String: Any]
        check(help?["command"] as Any, "farewell")
        #expect(known > 40, "\(known)")
    }
}
