// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import SystemPackage
import Testing

@Suite("Output for a user at a terminal, and for a program")
struct CommandTerminalTests {
    private static let escape = "\u{1B}["

    @Test("colour appears only on a terminal, and not where it is switched off")
    func colour() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            // The environment of the tests may disable colours.
            let terminal = ["TERM": "xterm-256color", "NO_COLOR": "", "CLICOLOR": "1"]
            for command in ["check", "plan"] {
                let coloured = try await place.onTerminal([command], typing: "", environment: terminal)
                #expect(coloured.status == 0 && coloured.output.contains(Self.escape), "\(coloured)")
                for refusal in [["NO_COLOR": "1"], ["CLICOLOR": "0"], ["TERM": "dumb"]] {
                    let environment = terminal.merging(refusal) { _, new in new }
                    let plain = try await place.onTerminal([command], typing: "", environment: environment)
                    #expect(plain.status == 0 && !plain.output.contains(Self.escape), "\(refusal): \(plain)")
                }
                let piped = try await place.farewell(command)
                #expect(piped.status == 0 && !piped.description.contains(Self.escape), "\(piped)")
            }
            let piped = try await place.farewell("erase", "--subject", place.person, "--yes", "--deep")
            #expect(piped.status == 0 && !piped.description.contains(Self.escape))
            // Data that a rule keeps, or that the search finds elsewhere, may be left.
            #expect(piped.description.contains("read back: nothing that the plan erases is left"), "\(piped)")
        }
    }

    private static let everyRule = """
        farewell: 1
        subject: {table: people, key: id}
        tables:
          people:
            rule: erase
            columns: [id]
          posts:
            rule: anonymise
            links:
              - {from: author, to: people.id}
            columns: {id: not personal, author: null}
          invoices:
            rule: retain
            reason: tax law
            for: 10 years
            links:
              - {from: customer, to: people.id}
            columns: {id: retain, customer: retain}
          countries:
            rule: not personal
            columns: [code]

        """

    @Test("a plan on a terminal has a colour for each rule and red for missing entries; in a file it has none")
    func ruleColours() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            try Data(Self.everyRule.utf8).write(to: place.plan)
            let terminal = ["TERM": "xterm-256color", "NO_COLOR": "", "CLICOLOR": "1"]
            let drawn = try await place.onTerminal(["plan"], typing: "", environment: terminal)
            for (colour, words) in [
                (33, "erase"), (34, "anonymise"), (35, "retain"), (2, "countries"), (31, "usage_logs"),
            ] {
                #expect(drawn.output.contains("\(Self.escape)\(colour)m\(words)\(Self.escape)0m"), "\(words): \(drawn)")
            }
            let filed = try await place.onTerminal(["plan", "--output", "tree.txt"], typing: "", environment: terminal)
            let tree = try String(contentsOf: place.folder.appendingPathComponent("tree.txt"), encoding: .utf8)
            #expect(filed.status == 0 && tree.contains("[anonymise]") && !tree.contains(Self.escape), "\(tree)")
        }
    }

    @Test("the user must type the key, and any other text erases nothing")
    func confirmation() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { place in
            let erase = ["erase", "--subject", place.person]
            // The environment of the tests may disable colours.
            let terminal = ["TERM": "xterm-256color", "NO_COLOR": "", "CLICOLOR": "1"]
            let before = try await place.rows()
            let refused = try await place.onTerminal(erase, typing: "yes\n", environment: terminal)
            #expect(refused.status == 2 && refused.output.contains("Nothing was erased"), "\(refused)")
            #expect(try await place.rows() == before)
            let agreed = try await place.onTerminal(erase, typing: place.person + "\n", environment: terminal)
            #expect(agreed.status == 0 && agreed.output.contains("Receipt of erasure"), "\(agreed)")
            #expect(try await place.rows().allSatisfy { !$0.contains(place.person) })
        }
    }

    @Test("a bar shows a user at a terminal the progress of a long erasure")
    func bar() async throws {
        try await CommandPlace.with(.sqlite, people: 3, messagesOfOne: 22_000) { place in
            let erase = ["erase", "--subject", place.people.subjectKey(at: 0), "--yes"]
            let shown = try await place.onTerminal(erase, typing: "", environment: ["TERM": "xterm-256color"])
            #expect(shown.status == 0, "\(shown)")
            #expect(shown.output.contains(#/rows █+░* [0-9]+ %  [0-9,]+ of 22,[0-9]{3}/#), "\(shown)")
        }
    }

    private static func end(of words: String, _ redirection: String, in place: CommandPlace) async throws -> CommandEnd {
        var configuration = place.configuration([])
        configuration.executable = .path("/bin/sh")
        configuration.arguments = ["-c", "\"$0\" \(words) \(redirection)", TestBinary.path("farewell")]
        return try await place.end(of: configuration)
    }

    @Test("requested output that does not arrive is an error, the same in words and in JSON")
    func fullDisk() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            for words in [
                "audit head", "receipt keys", "plan --format svg", "receipt verify", "status", "status --json", "check", "doctor",
                "--help",
            ] {
                let full = try await Self.end(of: words, "> /dev/full", in: place)
                #expect(full.status == 75 && full.errors.contains("no space is left"), "\(words): \(full)")
            }
            for words in ["status", "status --json"] {
                let closed = try await Self.end(of: words, ">&-", in: place)
                #expect(closed.status == 2 && closed.errors.contains("output cannot be written"), "\(words): \(closed)")
            }
            let gone = try await Self.end(of: "status", "| head -c 0", in: place)
            #expect(gone.status == 0 && gone.errors.isEmpty, "a reader that has gone away is no error: \(gone)")
        }
    }

    /// With a pipe of its own: a defect would put a file in the place of a device of this machine.
    @Test("an image is written into a named pipe and through a named link, and replaces neither")
    func namedStreams() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let folder = place.plan.deletingLastPathComponent()
            let (file, link, pipe) = (folder.appending(path: "a.svg"), folder.appending(path: "b.svg"), folder.appending(path: "c"))
            try Data("older".utf8).write(to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            #expect(mkfifo(pipe.path, 0o600) == 0)
            let plain = try await place.farewell("plan", "--format", "svg", "--output", "-")
            #expect(plain.status == 0 && plain.output.hasPrefix("<svg"), "\(plain)")
            #expect(try await place.farewell("plan", "--format", "svg", "--output", link.path).status == 0)
            let picture = plain.output.trimmingCharacters(in: .newlines)
            #expect(try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines) == picture)
            #expect(throws: Never.self) { try FileManager.default.destinationOfSymbolicLink(atPath: link.path) }
            var piped = place.configuration([])
            piped.executable = .path("/bin/sh")
            let words = "cat '\(pipe.path)' & \"$0\" plan --format svg --output '\(pipe.path)' && wait"
            piped.arguments = ["-c", words, TestBinary.path("farewell")]
            let end = try await place.end(of: piped)
            #expect(end.status == 0 && end.output.trimmingCharacters(in: .newlines) == picture, "\(end)")
        }
    }

    @Test("every answer in JSON can be parsed, even a refusal")
    func json() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { place in
            for arguments in [
                ["check"], ["preview", "--subject", place.person], ["erase", "--subject", place.person, "--yes"],
                ["verify", "--subject", place.person, "--deep"], ["verify", "--audit"],
                ["verify", "--subject", "nobody"], ["receipt", "show"], ["receipt", "verify"], ["reerase", "--dry-run"], ["status"],
                ["doctor"], ["init", "--force"],
                ["init"], ["preview", "--subject", "nobody"], ["check", "--plan", "none.yaml"],
            ] {
                let end = try await place.call(arguments + ["--json"])
                let lines = end.output.split(separator: "\n")
                #expect(!lines.isEmpty, "\(arguments)")
                for line in lines {
                    #expect(throws: Never.self, "\(arguments): \(line)") {
                        try JSONSerialization.jsonObject(with: Data(line.utf8))
                    }
                }
                if arguments == ["verify", "--subject", "nobody"] { #expect(end.status == 3, "\(end)") }
                if end.status == 2 { #expect(end.objects.first?["error"] != nil, "\(end)") }
            }
        }
    }

    @Test("--json draws a plan as --format json does, and accepts no other format with it")
    func planForPrograms() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let drawn = try await place.farewell("plan", "--format", "json")
            let picture = try JSONSerialization.jsonObject(with: Data(drawn.output.utf8)) as? [String: Any]
            #expect(drawn.status == 0 && picture?["nodes"] != nil && picture?["edges"] != nil, "\(drawn)")
            for arguments in [["--json"], ["--json", "--format", "json"]] {
                let same = try await place.call(["plan"] + arguments)
                #expect(same.status == 0 && same.output == drawn.output, "\(same)")
            }
            for format in ["text", "dot", "svg", "mermaid"] {
                let refused = try await place.farewell("plan", "--format", format, "--json")
                let error = refused.objects.first?["error"] as? [String: Any]
                #expect(refused.status == 2 && error?["code"] as? String == "command.misuse", "\(refused)")
                #expect(refused.errors.contains("--format json"))
            }
        }
    }

    @Test("no line of our own is wider than the terminal")
    func width() async throws {
        try await CommandPlace.with(.sqlite, people: 3, isPlanned: false) { place in
            for arguments in [["init", "--subject", "auth_users.id"], ["check"], ["doctor"]] {
                for line in try await place.call(arguments).output.split(separator: "\n") {
                    #expect(line.count <= 80 || !line.contains(" "), "\(line)")
                }
            }
        }
    }
}
