// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellSQL
import Foundation

/// The command `farewell`: erases subjects from a database, and proves it.
@main
struct FarewellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "farewell",
        abstract: "Signs users out, deletes their accounts and data, and proves it.",
        discussion: """
            A first erasure:

              farewell init --database sqlite:app.sqlite --subject users.id
              farewell decide
              farewell check --database sqlite:app.sqlite
              farewell preview --subject 4711 --database sqlite:app.sqlite
              farewell erase --subject 4711 --database sqlite:app.sqlite
              farewell verify --subject 4711 --deep --database sqlite:app.sqlite
              farewell receipt verify

            Other users of the machine can see --database; set FAREWELL_DATABASE_URL instead. NO_COLOR turns off colour.

            \(ExitStatus.explanation)
            """,
        version: CommandVersion.running.text,
        groupedSubcommands: groups)

    /// The sub-commands in the order of a first run.
    static let groups = [
        CommandGroup(
            name: "Plan",
            subcommands: [
                InitCommand.self, DecideCommand.self, CheckCommand.self, PlanCommand.self, RehearseCommand.self,
                DoctorCommand.self,
            ]),
        CommandGroup(
            name: "Erase",
            subcommands: [
                PreviewCommand.self, ExportCommand.self, EraseCommand.self, StatusCommand.self, FenceCommand.self,
                ReeraseCommand.self,
            ]),
        CommandGroup(name: "Prove", subcommands: [VerifyCommand.self, ReceiptCommand.self, AuditCommand.self]),
        CommandGroup(
            name: "Serve", subcommands: [DemoCommand.self, ServeCommand.self, WorkCommand.self, KeysCommand.self]),
        CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self, ReferencesCommand.self]),
    ]

    static func main() async {
        StandardDescriptors.reserve()
        // A reader that closes its end of a pipe is an error of writing, and ends no command.
        signal(SIGPIPE, SIG_IGN)
        let arguments = SubjectArguments.normalised(Array(CommandLine.arguments.dropFirst()))
        ProcessEnd.now(await status(of: arguments).rawValue)
    }

    private static func status(of arguments: [String]) async -> ExitStatus {
        do {
            // Swift puts U+FFFD where an argument is not UTF-8: such a key would name another user.
            guard !arguments.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else {
                throw misuse("command.not-text", "An argument is not text in UTF-8.", remedy: "Write it in UTF-8.")
            }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .done
        } catch {
            return FailureReport(arguments).report(error)
        }
    }
}
