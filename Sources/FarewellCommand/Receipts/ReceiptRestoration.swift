// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Writes the receipts that the database has and the state directory lacks: after a killed process, a full disk, or the
/// removal of files.
///
/// A receipt belongs here if no server accepted its erasure and a key of this state directory signed it. If none is
/// missing, this costs two look-ups by key and one look at the folder, however many receipts there are.
struct ReceiptRestoration {
    let database: any SQLDatabase
    /// The path of the state directory.
    let state: String

    /// So many receipts are in memory at once.
    private static let piece = 500

    /// Says on standard error what it wrote, or that it cannot write. Where the database or the keys cannot be read it
    /// says nothing: that is for the command itself to report.
    func run() async {
        let terminal = Terminal.error
        do {
            let written = try await restored()
            guard written > 0 else { return }
            let what = Words.count(written, "receipt was", "receipts were")
            terminal.line("\(what) missing from \(Terminal.printable(state))/receipts and restored from the database.")
        } catch let error as FarewellError where error.code == "receipt.unwritable" {
            terminal.line(terminal.yellow("! ") + Terminal.printable(error.message))
            if let remedy = error.remedy { terminal.line("  → " + Terminal.printable(remedy)) }
        } catch {}
    }

    private func restored() async throws -> Int {
        _ = try StateDirectory.existing(at: state)
        let (receipts, archive) = (Receipts(state: state), ErasureArchive(database))
        let mark = ReceiptMark.read(in: state)
        let changedAt = receipts.changedAt
        var issued = try await archive.issued(after: mark?.head)
        if let mark, !issued.isWhole, issued.head == mark.head, changedAt == mark.changedAt { return 0 }
        var files = receipts.erasures(isExact: issued.isWhole)
        if let mark, !issued.isWhole, files.subtracting(issued.erasures).count < mark.files {
            issued = try await archive.issued(after: nil)
            files = receipts.erasures(isExact: true)
        }
        guard let head = issued.head else { return 0 }
        let written = try await write(issued.erasures.subtracting(files), to: receipts, from: archive)
        ReceiptMark(
            head: head, files: files.count + written, changedAt: written > 0 ? receipts.changedAt : changedAt,
            boot: ReceiptMark.boot
        ).write(in: state)
        return written
    }

    /// Writes those of the receipts that belong here, and answers how many.
    private func write(_ missing: Set<UUID>, to receipts: Receipts, from archive: ErasureArchive) async throws -> Int {
        guard !missing.isEmpty else { return 0 }
        let verifier = ReceiptVerifier(keys: try KeyStore.existing(in: StateDirectory.existing(at: state)).publicKeys)
        var (rest, written) = (Array(missing)[...], 0)
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.piece))
            rest = rest.dropFirst(piece.count)
            for receipt in try await archive.receipts(of: piece) {
                guard let verified = try? verifier.verify(receipt.signed) else { continue }
                try receipts.restore(
                    IssuedReceipt(
                        erasure: verified.receipt.id, signed: receipt.signed, finishedAt: receipt.finishedAt))
                written += 1
            }
        }
        return written
    }
}
