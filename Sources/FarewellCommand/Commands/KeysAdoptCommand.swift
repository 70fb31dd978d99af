// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL

/// `farewell keys adopt`: continues with new keys if the former ones are lost.
struct KeysAdoptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Continue with this state directory's keys after the former keys of the database are lost.",
        discussion: """
            A database belongs to the keys (keys.json) of the state directory that erased in it. Farewell refuses \
            other keys, because they cannot recognise erased subjects. Restore the state directory from its back-up. \
            Only if there is no back-up, this command binds the database to the keys of the given state directory, \
            and creates them if necessary.

            After that, reerase no longer recognises subjects that were erased earlier, and erasures in progress \
            cannot be read: request them again. Receipts stay valid under the public keys that were published.

              farewell keys adopt --database sqlite:app.sqlite --yes

            \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Flag(help: "Yes, the former keys are lost.")
    var yes = false

    func run() async throws {
        guard yes else {
            throw misuse(
                "command.unconfirmed",
                "Nothing was changed: reerase would not recognise subjects that were erased earlier.",
                remedy: "Look for a back-up of the state directory first. If there is none, add --yes.")
        }
        let lost = try await installation.connected(.writing) { database in
            try await ErasureEngine.adoptKeys(
                in: database, state: installation.statePath, environment: .live(log: answer.log))
        }
        guard !answer.json else { return try Terminal.output.deliver(json: ["lost": lost]) }
        let terminal = Terminal.output
        let state = Terminal.printable(installation.statePath)
        terminal.line(terminal.green("✓ ") + "The database now belongs to the keys of \(state).")
        if lost > 0 {
            let entries = Words.count(lost, "entry", "entries")
            terminal.line(
                terminal.yellow("! ") + "\(entries) of the ledger have other keys and match no subject.")
        }
    }
}
