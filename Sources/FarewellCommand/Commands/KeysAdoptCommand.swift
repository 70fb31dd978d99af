// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellEngine
import FarewellSQL

/// `farewell keys adopt`: goes on with new keys where the former are lost.
struct KeysAdoptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Go on with this state directory's keys, where those of the database's erasures are lost for good.",
        discussion: """
            A database belongs to the keys (keys.json) of the state directory that erased in it, and others are \
            refused: they would know nobody again who was erased. Put the state directory back from its back-up. Only \
            where there is none, this makes the database belong to the keys of the state directory named, which are \
            made where there are none.

            Whoever was erased before is not known again after a restore from then on, and an erasure under way can \
            no longer be read: ask for it anew. Receipts stay valid under the public keys that were published.

              farewell keys adopt --database sqlite:app.sqlite --yes

            \(ExitStatus.explanation)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Flag(help: "Yes, the former keys are lost.")
    var yes = false

    func run() async throws {
        guard yes else {
            throw misuse(
                "command.unconfirmed", "Nothing was changed: whoever was erased before would not be known again.",
                remedy: "Look for a back-up of the state directory first. If there is none, add --yes.")
        }
        let lost = try await installation.connected(.writing) { database in
            try await ErasureEngine.adoptKeys(
                in: database, state: installation.statePath, environment: .live(log: answer.log))
        }
        guard !answer.json else { return Terminal.output.json(["lost": lost]) }
        let terminal = Terminal.output
        let state = Terminal.printable(installation.statePath)
        terminal.line(terminal.green("✓ ") + "The database belongs to the keys of \(state) from now on.")
        if lost > 0 {
            let entries = Words.count(lost, "entry", "entries")
            terminal.line(
                terminal.yellow("! ") + "\(entries) of the ledger were made with other keys, and match nobody.")
        }
    }
}
