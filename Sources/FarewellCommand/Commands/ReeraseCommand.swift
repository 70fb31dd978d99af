// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellEngine
import FarewellSQL

/// Erases again those whom a restored back-up brought back.
struct ReeraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reerase",
        abstract: "After a back-up was restored: erase again those who came back.",
        discussion: """
            Looks everybody in the subject's table up in the ledger of keyed hashes. Who was erased and is there \
            again is erased again. A key that was erased and now carries other identifiers may have been given to \
            somebody else: it is doubtful, and only erased when you name it.

              farewell reerase --dry-run               only look
              farewell reerase --yes
              farewell reerase --doubtful 4711 --yes   also this one: I have looked

            Exit status 1 when somebody who came back, or may have, is still there.
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions
    @OptionGroup var run: RunOptions

    @Flag(help: "Only look.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A doubtful key that is to be erased as well. May be repeated.", valueName: "key"))
    var doubtful: [String] = []

    func run() async throws {
        let plan = try installation.loadPlan()
        try await installation.connected(.writing, connections: run.connections) { database in
            let engine = try await ErasureEngine.open(
                database, plan: plan, folder: installation.folder, state: installation.statePath, lease: run.lease,
                connectors: try ServeCommand.connecting(plan), environment: .live(log: answer.log))
            let returned = try await engine.findReturned()
            let chosen = returned.certain + returned.doubtful.filter(doubtful.contains)
            let open = returned.doubtful.filter { !doubtful.contains($0) }
            answer.json ? Terminal.output.json(Finding(returned)) : say(returned, open)
            if dryRun { return try ending(chosen + open) }
            if !chosen.isEmpty {
                let session = ErasureSession(
                    database: database, plan: plan, installation: installation, run: run, answer: answer)
                try await session.erase(chosen, isConfirmed: yes)
            }
            try ending(open)
        }
    }

    private func ending(_ left: [String]) throws {
        guard left.isEmpty else { throw ExitStatus.findings }
    }

    private func say(_ returned: Returned, _ open: [String]) {
        let terminal = Terminal.output
        let examined = Words.count(returned.examined, "person", "people")
        guard !returned.certain.isEmpty || !returned.doubtful.isEmpty else {
            terminal.line(terminal.green("✓ ") + "Nobody who was erased is back (\(examined) looked at).")
            return
        }
        terminal.line("Of \(examined), \(Words.grouped(returned.certain.count)) came back after being erased.")
        guard !open.isEmpty else { return }
        terminal.line("Doubtful, because the key is the same and the identifiers are not:")
        for key in open.prefix(50) { terminal.line("  \(Terminal.printable(key))") }
        if open.count > 50 { terminal.line("  … and \(Words.grouped(open.count - 50)) more; --json lists all.") }
        terminal.line("  → Look at each. Erase it with --doubtful KEY if it is the same person.")
    }
}

/// Who came back, for programs.
private struct Finding: Encodable {
    let examined: Int
    let certain: [String]
    let doubtful: [String]

    init(_ returned: Returned) {
        examined = returned.examined
        certain = returned.certain
        doubtful = returned.doubtful
    }
}
