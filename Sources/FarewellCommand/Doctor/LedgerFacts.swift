// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL

/// The agreement of the ledger's two copies, in words. Changes neither.
struct LedgerFacts {
    let database: any SQLDatabase
    let state: String

    private static let name = "ledger"
    private static let mending = "The next farewell erase, erase --resume or reerase restores them."

    /// Compares every entry, for the doctor.
    func facts() async -> [DatabaseHealth.Fact] { await ledger() + StopFacts(database: database, state: state).facts() }

    private func ledger() async -> [DatabaseHealth.Fact] {
        do {
            guard let found = try await ErasureEngine.ledgerAgreement(in: database, state: state) else { return [] }
            return [fact(found)]
        } catch let error as FarewellError {
            return [.init(Self.name, .bad, error.message, remedy: error.remedy)]
        } catch {
            return [.init(Self.name, .bad, "It cannot be read.")]
        }
    }

    private func fact(_ found: LedgerAgreement) -> DatabaseHealth.Fact {
        var words = [
            "\(Words.grouped(found.file)) in the file, \(Words.grouped(found.database)) in the database"
        ]
        if let restored = found.restoredLines, restored > 0 {
            words.append("\(Words.grouped(restored)) restored from the database")
        }
        if found.missingInFile > 0 { words.append("\(Words.grouped(found.missingInFile)) missing in the file") }
        if found.openInFile > 0 { words.append("\(Words.grouped(found.openInFile)) without their end in the file") }
        if found.missingInDatabase > 0 {
            words.append("\(Words.grouped(found.missingInDatabase)) missing in the database")
        }
        if found.conflicting > 0 { words.append("\(Words.grouped(found.conflicting)) conflicting") }
        if let open = found.unconfirmed, open > 0 { words.append("\(Words.grouped(open)) unconfirmed") }
        let text = words.joined(separator: "; ")
        if found.conflicting > 0 {
            return .init(
                Self.name, .bad, text,
                remedy: "Compare the receipts with farewell.ledger: an entry was changed (docs/operations/backup.md)."
            )
        }
        if found.missingInFile + found.missingInDatabase > 0 {
            let isRestored = found.missingInDatabase > 0
            let remedy = (isRestored ? "If a back-up was restored, run farewell reerase. " : "") + Self.mending
            return .init(Self.name, .warning, text, remedy: remedy)
        }
        if let open = found.unconfirmed, open > 0 {
            return .init(Self.name, .warning, text, remedy: "See farewell reerase --dry-run.")
        }
        return .init(Self.name, .good, text)
    }

    /// Warns on standard error if the numbers of the copies differ, for a command with another purpose. It ignores
    /// copies that cannot be compared.
    func warn() async {
        let terminal = Terminal.error
        for fact in await StopFacts(database: database, state: state).facts() {
            terminal.line(terminal.yellow("! ") + Terminal.printable(fact.text))
            if let remedy = fact.remedy { terminal.line("  → " + Terminal.printable(remedy)) }
        }
        do {
            let found = try await ErasureEngine.ledgerAgreement(in: database, state: state, isWhole: false)
            guard let found, found.missingInFile + found.missingInDatabase + found.conflicting > 0 else { return }
            terminal.line(terminal.yellow("! ") + "The ledger's copies differ: \(fact(found).text).")
            terminal.line("  → See farewell doctor.")
        } catch let error as FarewellError where ["ledger.tampered", "keys.other"].contains(error.code.rawValue) {
            terminal.line(terminal.yellow("! ") + Terminal.printable(error.message))
            if let remedy = error.remedy { terminal.line("  → " + Terminal.printable(remedy)) }
        } catch {
            return
        }
    }
}
