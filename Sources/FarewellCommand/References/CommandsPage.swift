// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// `docs/commands.md`: every command, from what the command says in `--help`.
enum CommandsPage {
    static func lines(of command: any ParsableCommand.Type) throws -> [String] {
        let root = try JSONDecoder().decode(HelpDump.self, from: Data(command._dumpHelp().utf8)).command
        let groups = command.configuration.groupedSubcommands.map { group in
            (name: group.name, commands: commands(of: group, in: root))
        }
        var lines = introduction
        for group in groups { lines.append("- \(group.name): " + group.commands.map(link).joined(separator: ", ")) }
        for group in groups {
            lines += ["", "## \(group.name)"] + group.commands.flatMap { section($0, ["farewell"]) }
        }
        return lines + ["", "## Exit status", ""] + statuses.lines
    }

    private static let introduction = [
        "# Commands", "",
        "`farewell COMMAND --help` prints the same text, and the packages contain manual pages of it. All commands "
            + "have the same [exit statuses](#exit-status).", "",
    ]

    private static func commands(of group: CommandGroup, in root: HelpDump.Command) -> [HelpDump.Command] {
        group.subcommands.compactMap { type in root.shown.first { $0.commandName == type._commandName } }
    }

    private static func link(to command: HelpDump.Command) -> String {
        "[\(command.commandName)](#farewell-\(command.commandName))"
    }

    /// A command and its sub-commands.
    private static func section(_ command: HelpDump.Command, _ above: [String]) -> [String] {
        let words = above + [command.commandName]
        let arguments = command.arguments?.filter(\.isDocumented) ?? []
        let rows = arguments.map { [$0.written.asCode, $0.defaultValue?.asCode ?? "", $0.meaning] }
        var lines = ["", "### `\(words.joined(separator: " "))`", "", command.abstract ?? ""]
        lines += body(command.discussion ?? "")
        if !rows.isEmpty { lines += [""] + MarkdownTable(["option", "default", "meaning"], rows: rows).lines }
        return lines + command.shown.flatMap { section($0, words) }
    }

    /// Paragraphs, and examples as code. The exit statuses of all commands are in a section of their own.
    private static func body(_ discussion: String) -> [String] {
        let text = discussion.replacing(" " + ExitStatus.pointer, with: "").replacing(ExitStatus.pointer, with: "")
        var lines: [String] = []
        for block in text.split(separator: "\n\n") {
            let here = block.split(separator: "\n").map(String.init)
            guard !here.isEmpty else { continue }
            let isCode = here.allSatisfy { $0.hasPrefix("  ") }
            lines += isCode ? ["", "```sh"] + here.map { String($0.dropFirst(2)) } + ["```"] : [""] + here
        }
        return lines
    }

    private static var statuses: MarkdownTable {
        MarkdownTable(["status", "meaning"], rows: ExitStatus.allCases.map { ["\($0.rawValue)", $0.meaning] })
    }
}
