// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Compares the receipts of the state directory with those of the database, and writes files that are missing or hold
/// something else: after a killed process, a full disk, or a change of files by hand.
///
/// A receipt belongs here if no server accepted its erasure and a key of this state directory signed it. If no file was
/// changed, this costs two look-ups by key and a look at the folder, and at no more than 1,000 of its files.
struct ReceiptRestoration {
    let database: any SQLDatabase
    /// The path of the state directory.
    let state: String

    /// The most receipts that are in memory at once.
    private static let piece = 500
    /// Up to this number of files, every run looks at each file. Beyond it, `doctor` and the first run after each start
    /// of the machine compare their content.
    private static let few = 1_000

    /// The findings, and the restored files.
    struct Outcome {
        /// How many receipts are compared.
        var compared = 0
        /// How many files were missing or empty, and are written.
        var written = 0
        /// Erasures whose file did not hold their genuine receipt; the file is written again.
        var replaced: [UUID] = []
        /// Erasures with a file and a receipt in the database that contradict each other. Neither is changed.
        var conflicts: [UUID] = []
    }

    /// Says on standard error what it wrote or found, or that it cannot write. Where the database or the keys cannot be
    /// read it says nothing: that is for the command itself to report.
    func run() async {
        let terminal = Terminal.error
        do {
            let outcome = try await compared(isWhole: false)
            let folder = "\(Terminal.printable(state))/receipts"
            if outcome.written > 0 {
                let what = Words.count(outcome.written, "receipt was", "receipts were")
                terminal.line("\(what) missing from \(folder) and restored from the database.")
            }
            if !outcome.replaced.isEmpty {
                let what = Words.count(outcome.replaced.count, "file", "files")
                let names = Self.names(outcome.replaced)
                terminal.line(
                    terminal.yellow("! ") + "\(what) in \(folder) held no genuine receipt of the named erasure; "
                        + "restored from the database: \(names).")
            }
            if !outcome.conflicts.isEmpty {
                terminal.line(
                    terminal.yellow("! ") + "Receipts in \(folder) contradict the database: "
                        + "\(Self.names(outcome.conflicts)).")
                terminal.line("  → See farewell doctor. Nothing was changed.")
            }
        } catch let error as FarewellError where error.code == "receipt.unwritable" {
            terminal.line(terminal.yellow("! ") + Terminal.printable(error.message))
            if let remedy = error.remedy { terminal.line("  → " + Terminal.printable(remedy)) }
        } catch {}
    }

    /// Compares every receipt, for the doctor.
    func facts() async -> [DatabaseHealth.Fact] {
        let name = "receipts"
        do {
            let outcome = try await compared(isWhole: true)
            guard outcome.compared > 0 else { return [] }
            guard outcome.conflicts.isEmpty else {
                return [
                    .init(
                        name, .bad, "contradict the database: \(Self.names(outcome.conflicts))",
                        remedy: "Compare each file with farewell status; restore the copy that was changed.")
                ]
            }
            let restored = outcome.written + outcome.replaced.count
            let text = "\(Words.count(outcome.compared, "receipt")) compared with the database"
            guard restored > 0 else { return [.init(name, .good, text)] }
            let names = outcome.replaced.isEmpty ? "" : " (no genuine receipt: \(Self.names(outcome.replaced)))"
            return [.init(name, .warning, "\(text); \(Words.count(restored, "file")) restored\(names)")]
        } catch let error as FarewellError {
            return [.init(name, .bad, error.message, remedy: error.remedy)]
        } catch {
            return [.init(name, .bad, "They cannot be read.")]
        }
    }

    private static func names(_ erasures: [UUID]) -> String {
        let names = erasures.map(\.text).sorted()
        return names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    }

    /// - Parameter isWhole: Whether to compare the content of every file, whatever the mark says.
    private func compared(isWhole: Bool) async throws -> Outcome {
        _ = try StateDirectory.existing(at: state)
        let (receipts, archive) = (Receipts(state: state), ErasureArchive(database))
        let mark = isWhole ? nil : ReceiptMark.read(in: state)
        let changedAt = receipts.changedAt
        var issued = try await archive.issued(after: mark?.head)
        if let mark, !issued.isWhole, issued.head == mark.head, changedAt == mark.changedAt,
            mark.files > Self.few || newestChange(in: receipts) == mark.newestChange
        {
            return Outcome()
        }
        var files = receipts.erasures(isExact: issued.isWhole)
        if let mark, !issued.isWhole {
            let old = files.subtracting(issued.erasures)
            let isChanged =
                files.count <= Self.few && Self.isLater(receipts.newestChange(of: old), than: mark.newestChange)
            if isChanged || old.count < mark.files {
                issued = try await archive.issued(after: nil)
                files = receipts.erasures(isExact: true)
            }
        }
        guard let head = issued.head else { return Outcome() }
        // A newer version may write receipts otherwise.
        try await ErasureEngine.refuseNewerStore(in: database)
        // The files of erasures that have just ended were written by the process that ended them.
        let outcome = try await compare(
            issued.isWhole ? issued.erasures : issued.erasures.subtracting(files), receipts, archive)
        guard outcome.conflicts.isEmpty else {
            // The next command compares everything again, and reports it as well.
            ReceiptMark.remove(in: state)
            return outcome
        }
        let isChanged = outcome.written + outcome.replaced.count > 0
        let last = ReceiptMark.stored(in: state)
        // The mark that replaces this one remembers what it knew of the audit log.
        ReceiptMark(
            head: head, first: issued.isWhole ? try await archive.auditHead(at: 1) : last?.first,
            missing: issued.isWhole ? try await last?.missingEntry(in: archive) : last?.missing,
            files: files.count + outcome.written,
            changedAt: isChanged ? receipts.changedAt : changedAt,
            newestChange: newestChange(in: receipts), boot: ReceiptMark.boot
        ).write(in: state)
        return outcome
    }

    private func newestChange(in receipts: Receipts) -> String? {
        let present = receipts.erasures(isExact: false)
        return present.count <= Self.few ? receipts.newestChange(of: present) : nil
    }

    private static func isLater(_ one: String?, than other: String?) -> Bool {
        func parts(_ text: String?) -> [Int] { (text ?? "").split(separator: ".").compactMap { Int($0) } }
        return parts(other).lexicographicallyPrecedes(parts(one))
    }

    private func compare(
        _ erasures: Set<UUID>, _ receipts: Receipts, _ archive: ErasureArchive
    ) async throws -> Outcome {
        var outcome = Outcome()
        guard !erasures.isEmpty else { return outcome }
        let verifier = ReceiptVerifier(keys: try KeyStore.existing(in: StateDirectory.existing(at: state)).publicKeys)
        var rest = Array(erasures)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.piece))
            rest = rest.dropFirst(piece.count)
            for receipt in try await archive.receipts(of: piece) {
                try compare(receipt, among: erasures, receipts, verifier, &outcome)
            }
        }
        return outcome
    }

    /// - Parameter all: The erasures that are compared.
    private func compare(
        _ receipt: IssuedReceipt, among all: Set<UUID>, _ receipts: Receipts, _ verifier: ReceiptVerifier,
        _ outcome: inout Outcome
    ) throws {
        let file = receipts.text(of: receipt.erasure)
        guard file != receipt.signed else { return outcome.compared += 1 }
        func isGenuine(_ signed: String, of id: UUID) -> Bool { (try? verifier.verify(signed))?.receipt.id == id }
        guard let own = try? verifier.verify(receipt.signed).receipt else {
            // Without a genuine file it is an erasure of another installation, which has other keys.
            if let file, isGenuine(file, of: receipt.erasure) { outcome.conflicts.append(receipt.erasure) }
            return
        }
        outcome.compared += 1
        // An erasure that ended twice has a second receipt with an identifier of its own; it is no other erasure's.
        guard own.id == receipt.erasure || !all.contains(own.id) else {
            return outcome.conflicts.append(receipt.erasure)
        }
        let present = own.id == receipt.erasure ? file : receipts.text(of: own.id)
        guard present != receipt.signed else { return }
        if let present, isGenuine(present, of: own.id) { return outcome.conflicts.append(own.id) }
        try receipts.restore(IssuedReceipt(erasure: own.id, signed: receipt.signed, finishedAt: receipt.finishedAt))
        if present == nil { outcome.written += 1 } else { outcome.replaced.append(own.id) }
    }
}
