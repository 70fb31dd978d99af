// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The command `farewell`: erases subjects from a database, and proves it.
@main
struct FarewellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "farewell",
        abstract: "Deletes a user from your app completely, and proves it.",
        discussion: """
            A first erasure:

              farewell init --database sqlite:app.sqlite --subject users.id
              farewell decide
              farewell check --database sqlite:app.sqlite
              farewell preview --subject 4711 --database sqlite:app.sqlite
              farewell erase --subject 4711 --database sqlite:app.sqlite
              farewell verify --subject 4711 --deep --database sqlite:app.sqlite
              farewell receipt verify

            Other users of the machine can see --database; FAREWELL_DATABASE_URL hides it. Terminals get \
            colour; NO_COLOR turns it off.

            \(ExitStatus.explanation)
            """,
        version: CommandVersion.running.text,
        subcommands: [
            InitCommand.self, DecideCommand.self, CheckCommand.self, PlanCommand.self, RehearseCommand.self,
            PreviewCommand.self, ExportCommand.self,
            EraseCommand.self,
            StatusCommand.self, VerifyCommand.self, ReceiptCommand.self, ReeraseCommand.self, AuditCommand.self,
            DoctorCommand.self, ServeCommand.self, WorkCommand.self, KeysCommand.self, FenceCommand.self,
            DemoCommand.self,
        ])

    static func main() async {
        let arguments = SubjectArguments.normalised(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Foundation.exit(Departure(isJSON: arguments.contains("--json")).report(error).rawValue)
        }
    }
}
