// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellSQL
import Foundation
import Testing

@testable import FarewellCommand

@Suite("The help of every command")
struct CommandHelpTests {
    /// A command's name and its help.
    private struct Entry {
        let words: [String]
        let abstract: String
        let discussion: String
    }

    /// The command itself, its sub-commands and theirs, as the configuration names them.
    private static func entries(
        of command: any ParsableCommand.Type = FarewellCommand.self, called words: [String] = []
    ) -> [Entry] {
        let configuration = command.configuration
        return [Entry(words: words, abstract: configuration.abstract, discussion: configuration.discussion)]
            + configuration.subcommands.flatMap { entries(of: $0, called: words + [$0._commandName]) }
    }

    /// The calls in a help text, without shell syntax and comments.
    private static func calls(in discussion: String) -> [[String]] {
        discussion.split(separator: "\n").compactMap { line -> [String]? in
            guard let call = line.firstMatch(of: #/^ +(?:[A-Z_]+=\S+ )?farewell (.*?)(?: {3}.*| [>|#].*)?$/#) else {
                return nil
            }
            // An identifier that is cut short stands for a whole one.
            return call.1.split(separator: " ").map {
                $0.hasSuffix("…") ? "0b54c0de-0000-4000-8000-000000000000" : String($0)
            }
        }
    }

    /// Without the places where lines end.
    private static func flat(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("the help of every command states its purpose, with examples; the command's own has the table of exit statuses")
    func help() async throws {
        let entries = Self.entries()
        #expect(entries.count > 20)
        for status in ExitStatus.allCases { #expect(ExitStatus.explanation.contains(" \(status.rawValue)  ")) }
        try await CommandPlace.with(.sqlite, people: 1) { place in
            for entry in entries {
                let help = try await place.call(entry.words + ["--help"])
                let said = Self.flat(help.output)
                #expect(help.status == 0 && !entry.abstract.isEmpty && said.contains(Self.flat(entry.abstract)), "\(help)")
                #expect(help.output.contains("\n  farewell "), "\(help)")
                #expect(said.contains(Self.flat(ExitStatus.explanation)) == entry.words.isEmpty, "\(help)")
                #expect(said.contains(ExitStatus.pointer) == !entry.words.isEmpty, "\(help)")
                #expect(said.contains("JSON lines") == [["erase"], ["reerase"]].contains(entry.words), "\(help)")
            }
            // Scripts/swift notes the commit of a build.
            let program = URL(fileURLWithPath: TestBinary.path("farewell")).resolvingSymlinksInPath()
            let version = CommandVersion(commit: CommandVersion.commit(beside: program)).text
            #expect(try await place.call(["--version"]).output == version + "\n")
        }
    }

    @Test("PK-2 --version shows the commit from a package's file; without such a file it shows the version alone")
    func version() throws {
        let hash = "0123456789abcdef0123456789abcdef01234567"
        #expect(CommandVersion(commit: hash + "\n").text == "\(FarewellVersion.current) (0123456)")
        for none in [nil, "", "main", "012345", "0123456789ABCDEF", hash + hash] {
            #expect(CommandVersion(commit: none).text == FarewellVersion.current)
        }
        let package = FileManager.default.temporaryDirectory.appendingPathComponent("package-\(UUID().uuidString)")
        let share = package.appendingPathComponent("share/farewell")
        try FileManager.default.createDirectory(at: share, withIntermediateDirectories: true)
        let program = package.appendingPathComponent("bin/farewell")
        #expect(CommandVersion.commit(beside: program) == nil)
        try Data(hash.utf8).write(to: share.appendingPathComponent("commit"))
        #expect(CommandVersion.commit(beside: program) == hash)
        try FileManager.default.removeItem(at: package)
    }

    @Test("PK-2 the commit of a build counts only while the program is no newer than the file with the commit")
    func build() throws {
        let manager = FileManager.default
        let build = manager.temporaryDirectory.appendingPathComponent("build-\(UUID().uuidString)/debug")
        try manager.createDirectory(at: build, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: build.deletingLastPathComponent()) }
        let program = build.appendingPathComponent("farewell"), file = build.appendingPathComponent("farewell.commit")
        try Data().write(to: program)
        #expect(CommandVersion.commit(beside: program) == nil)
        try Data("0123456".utf8).write(to: file)
        let noted = Date(timeIntervalSince1970: 1_800_000_000)
        try manager.setAttributes([.modificationDate: noted], ofItemAtPath: file.path)
        for (later, commit) in [(-60.0, "0123456"), (0, "0123456"), (60, nil)] as [(Double, String?)] {
            try manager.setAttributes([.modificationDate: noted.addingTimeInterval(later)], ofItemAtPath: program.path)
            #expect(CommandVersion.commit(beside: program) == commit, "linked \(later) seconds after")
        }
    }

    @Test("every example in a help is a valid call, and at least one is of the command itself")
    func examples() {
        for entry in Self.entries() {
            let calls = Self.calls(in: entry.discussion)
            #expect(calls.contains { $0.starts(with: entry.words) }, "\(entry.words)")
            for call in calls {
                #expect(throws: Never.self, "\(call)") { try FarewellCommand.parseAsRoot(call) }
            }
        }
    }

    @Test("DX-2 no example and no exit status in a help is wider than a terminal of 80 columns")
    func widths() {
        for entry in Self.entries() {
            let wide = entry.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") && $0.count > 80 }
            #expect(wide.isEmpty, "\(entry.words)")
        }
    }

    @Test("an example is read without variables, comments and the parts that a shell handles")
    func reading() {
        let help = """
            Says something. farewell is a word here.

              farewell erase --release 0b54…           let it go on
              farewell fence --sql | psql "$URL"
              farewell plan --schema > schema.json     for editors
              URL=postgresql://app@db/app farewell serve
              farewell serve                           # SQLite
            """
        #expect(
            Self.calls(in: help) == [
                ["erase", "--release", "0b54c0de-0000-4000-8000-000000000000"], ["fence", "--sql"],
                ["plan", "--schema"], ["serve"], ["serve"],
            ])
    }
}
