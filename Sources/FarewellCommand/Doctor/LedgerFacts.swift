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
    private static let restoring =
        "Restore the ledger from its own back-up: without these entries, farewell reerase does not recognise the "
        + "subjects."

    /// Compares every entry, for the doctor.
    func facts() async -> [DatabaseHealth.Fact] { await ledger() + StopFacts(database: database, state: state).facts() }

    private func ledger() async -> [DatabaseHealth.Fact] {
        do {
            let receipts = Receipts(state: state).count
            let found = try await ErasureEngine.ledgerAgreement(in: database, state: state, receipts: receipts)
            return found.map { [fact($0)] } ?? []
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
        if found.receiptsWithoutEntry > 0 {
            let receipts = Words.count(found.receiptsWithoutEntry, "receipt")
            words.append("\(receipts) of erasures that neither copy knows")
        }
        let text = words.joined(separator: "; ")
        if found.conflicting > 0 {
            return .init(
                Self.name, .bad, text,
                remedy: "Compare the receipts with farewell.ledger: an entry was changed (docs/operations/backup.md)."
            )
        }
        let remedies = [
            found.missingInDatabase > 0 ? "If a back-up was restored, run farewell reerase." : nil,
            found.missingInFile + found.missingInDatabase > 0 ? Self.mending : nil,
            found.receiptsWithoutEntry > 0 ? Self.restoring : nil,
        ].compactMap(\.self)
        if !remedies.isEmpty {
            return .init(Self.name, .warning, text, remedy: remedies.joined(separator: " "))
        }
        if let open = found.unconfirmed, open > 0 {
            return .init(Self.name, .warning, text, remedy: "See farewell reerase --dry-run.")
        }
        return .init(Self.name, .good, text)
    }

    /// Warns on standard error if the copies differ by their numbers, or if a file of the state directory stops the
    /// comparison, for a command with another purpose. It ignores a database that cannot be asked.
    func warn() async {
        var warnings: [(text: String, remedy: String?)] = []
        for fact in await StopFacts(database: database, state: state).facts() {
            warnings.append((fact.text, fact.remedy))
        }
        do {
            let receipts = ReceiptMark.stored(in: state)?.files ?? Receipts(state: state).count
            let found = try await ErasureEngine.ledgerAgreement(
                in: database, state: state, isWhole: false, receipts: receipts)
            if let found, found.missingInFile + found.missingInDatabase + found.conflicting > 0 {
                warnings.append(("The ledger's copies differ: \(fact(found).text).", "See farewell doctor."))
            } else if let found, found.receiptsWithoutEntry > 0 {
                warnings.append(("The ledger is incomplete: \(fact(found).text).", "See farewell doctor."))
            }
        } catch let error as FarewellError where Self.isOfState(error) {
            warnings.append((error.message, error.remedy))
        } catch {}
        let terminal = Terminal.error
        var said: Set<String> = []
        for (text, remedy) in warnings where said.insert(text).inserted {
            terminal.line(terminal.yellow("! ") + Terminal.printable(text))
            if let remedy { terminal.line("  → " + Terminal.printable(remedy)) }
        }
    }

    /// Whether an operator must mend the state directory: nothing is erased until then.
    static func isOfState(_ error: FarewellError) -> Bool {
        error.family == .yoursToFix
            && ["file.", "keys.", "ledger.", "state."].contains { error.code.rawValue.hasPrefix($0) }
    }
}
