// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL

/// Erases again the subjects that a restored back-up brought back.
struct ReeraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reerase",
        abstract: "Erase subjects again that a restored back-up brought back.",
        discussion: """
            Looks up every subject of the database in the ledger of keyed hashes, and erases those again that were \
            erased before. A key is doubtful if its row may be a new user's; it is erased only if you name it. So a \
            key is doubtful if its row now has other identifiers, such as another e-mail address. A name or a number, \
            which can be given again, is also doubtful while the database still records the erasure: then there was no \
            restore, or one that left out Farewell's own tables.

              farewell reerase --dry-run               change nothing
              farewell reerase --yes
              farewell reerase --doubtful 4711 --yes   also this one, after checking it
              farewell reerase --unconfirmed --yes     also unconfirmed erasures

            The ledger records an erasure before its commit. If the process died in between, the erasure is \
            unconfirmed: it may never have happened, and its subject is only erased with --unconfirmed.

            --json writes JSON lines: one object with the findings, then, if subjects are erased, those of farewell \
            erase.

            Exit status 1: a subject that has or may have come back is still there; an unfinished erasure has no \
            active worker; or the ledger has fewer erasures than the state directory has receipts, so some subjects \
            cannot be recognised. \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions
    @OptionGroup var run: RunOptions

    @Flag(help: "Change nothing; only report.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Also erase subjects with an unconfirmed erasure.")
    var unconfirmed = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A doubtful key to erase as well. May be repeated.", valueName: "key"))
    var doubtful: [String] = []

    func run() async throws {
        let plan = try installation.loadPlan()
        // New keys recognise no subject in any database: only the installation that erased can find subjects that are
        // back.
        _ = try KeyStore.existing(in: StateDirectory.existing(at: installation.statePath))
        try await installation.connected(.writing, connections: run.connections) { database in
            let engine = try await ErasureEngine.open(
                database, plan: plan, folder: installation.folder, state: installation.statePath, lease: run.lease,
                connectors: try PlanSystems.connecting(plan), environment: .live(log: answer.log))
            if !answer.json { say(engine.putBack) }
            let returned = try await engine.findReturned()
            let begun = unconfirmed ? returned.unconfirmed : []
            let choice = DoubtfulChoice(
                of: .init(doubtful: returned.doubtful, others: returned.certain + returned.unconfirmed),
                named: doubtful)
            let chosen = returned.certain + choice.chosen + begun
            let open = choice.left + (unconfirmed ? [] : returned.unconfirmed)
            let receipts = Receipts(state: installation.statePath).count
            let unfinished = try await unfinished(in: database)
            var unwritten: (any Error)?
            do {
                try answer.json
                    ? Terminal.output.deliver(
                        json: Finding(returned, engine.putBack, receipts: receipts, unfinished: unfinished))
                    : say(returned, choice.left, receipts: receipts)
            } catch {
                unwritten = error
            }
            say(unknown: choice.unknown)
            // Confirmed erasures do not wait for a reader of the findings.
            if let unwritten, dryRun || !yes { throw unwritten }
            if dryRun { return try ending(chosen + open, returned, receipts, unfinished) }
            if !chosen.isEmpty {
                let session = ErasureSession(
                    database: database, plan: plan, installation: installation, run: run, answer: answer)
                try await session.erase(chosen, isConfirmed: yes)
            }
            if let unwritten { throw unwritten }
            try ending(open, returned, receipts, try await self.unfinished(in: database))
        }
    }

    /// The number of unfinished erasures without an active worker: a subject whose rows are deleted is found nowhere
    /// else.
    private func unfinished(in database: any SQLDatabase) async throws -> Int {
        let world = EngineEnvironment.live(log: answer.log)
        return try await ErasureArchive(database).open().count { !$0.isWaiting && $0.erasure.isAbandoned(in: world) }
    }

    private func ending(_ left: [String], _ returned: ReturnedSubjects, _ receipts: Int, _ unfinished: Int) throws {
        if unfinished > 0, !answer.json {
            let terminal = Terminal.output
            let begun = Words.count(unfinished, "unfinished erasure has", "unfinished erasures have")
            terminal.line(terminal.yellow("! ") + begun + " no active worker.")
            terminal.line("  → Resume with: farewell erase --resume")
        }
        guard left.isEmpty, returned.known >= receipts, unfinished == 0 else { throw ExitStatus.findings }
    }

    /// The stopped erasures that the database had forgotten, and that are stopped again.
    private func say(_ putBack: StopAgreement) {
        guard !putBack.isEmpty else { return }
        let terminal = Terminal.output
        terminal.line(terminal.yellow("! ") + "The database had forgotten \(StopFacts.words(putBack)): put back.")
    }

    /// On standard error, so that JSON stays JSON.
    private func say(unknown: [String]) {
        let terminal = Terminal.error
        for key in unknown {
            let what = "--doubtful \(key): no erased subject with this key came back."
            terminal.line(terminal.yellow("! ") + Terminal.printable(what))
        }
    }

    private func say(_ returned: ReturnedSubjects, _ open: [String], receipts: Int) {
        let terminal = Terminal.output
        guard returned.known >= receipts, returned.known > 0 || !returned.unconfirmed.isEmpty else {
            return sayUnknown(returned, receipts)
        }
        let examined = Words.count(returned.examined, "subject")
        guard !returned.certain.isEmpty || !returned.doubtful.isEmpty || !returned.unconfirmed.isEmpty else {
            terminal.line(terminal.green("✓ ") + "No erased subject came back (\(examined) examined).")
            return
        }
        terminal.line("Of \(examined), \(Words.grouped(returned.certain.count)) came back after their erasure.")
        if !open.isEmpty {
            terminal.line("Doubtful, because the row with the erased key may be a new user's:")
            list(open)
            terminal.line("  → Check each key. If a back-up brought the row back, erase it with --doubtful KEY.")
        }
        if !returned.unconfirmed.isEmpty {
            terminal.line("Unconfirmed, because an erasure was started and nothing shows its commit:")
            list(returned.unconfirmed)
            guard !unconfirmed else { return }
            terminal.line("  → Check which of them to erase. If all: --unconfirmed. Otherwise erase them by key.")
        }
    }

    private func list(_ keys: [String]) {
        let terminal = Terminal.output
        for key in keys.prefix(50) { terminal.line("  \(Terminal.printable(key))") }
        if keys.count > 50 { terminal.line("  … and \(Words.grouped(keys.count - 50)) more; --json lists all.") }
    }
}

/// The facts that are unknown without a whole ledger.
extension ReeraseCommand {
    private func sayUnknown(_ returned: ReturnedSubjects, _ receipts: Int) {
        let terminal = Terminal.output
        let state = Terminal.printable(installation.statePath)
        if receipts == 0 {
            terminal.line(terminal.yellow("! ") + "The ledger of \(state) is empty, so there is nothing to compare.")
            terminal.line("  → If subjects were erased, name the state directory of that time with --state.")
            return
        }
        let known = Words.count(returned.known, "erasure", "erasures")
        let there = Words.count(receipts, "receipt", "receipts")
        terminal.line(
            terminal.red("✗ ")
                + "The ledger of \(state) has \(known), and there are \(there): "
                + "it cannot show whether the other subjects came back.")
        terminal.line("  → Restore the ledger from its own back-up.")
    }
}

/// The subjects that are back, for programs.
private struct Finding: Encodable {
    let examined: Int
    let certain: [String]
    let doubtful: [String]
    let unconfirmed: [String]
    /// Committed erasures in the ledger; if there are more receipts some are missing from it.
    let known: Int
    /// Receipts in the state directory.
    let receipts: Int
    /// Unfinished erasures that no worker works on.
    let unfinished: Int
    /// Erasures that are cancelled again, because the database had forgotten it.
    let cancelledAgain: [String]
    /// Erasures that are held again.
    let heldAgain: [String]

    init(_ returned: ReturnedSubjects, _ putBack: StopAgreement, receipts: Int, unfinished: Int) {
        cancelledAgain = putBack.cancelled.map(ErasureEnding.name)
        heldAgain = putBack.held.map(ErasureEnding.name)
        known = returned.known
        self.receipts = receipts
        self.unfinished = unfinished
        examined = returned.examined
        certain = returned.certain
        doubtful = returned.doubtful
        unconfirmed = returned.unconfirmed
    }
}
