// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The ledger on disk: a journal in the state directory, apart from every database, so that no restore of a
/// database takes it back.
///
/// Lines are only ever added. Each carries a keyed code over itself and the line before: a changed, dropped
/// or exchanged line is found, and nothing is added after it. A line torn by a crash was never acknowledged and is
/// passed over.
///
/// An erasure writes its entry before it is committed and confirms it afterwards: an entry that nothing confirms may be
/// that of an erasure which never happened.
///
/// Usually it is one file. A writer that finds a file locked uses the next one (`LedgerVolume`) and does not wait.
package final class LedgerFile: Sendable {
    package let directory: StateDirectory
    let journal: LedgerVolume.Journal
    let key: KeyedHash.Key
    /// The ends of the files as this process last left them: a file that no other process has extended need not be
    /// read.
    private let ends = Guarded<[LedgerVolume: End]>([:])

    private struct End: Sendable {
        /// The file as it was then: which one, how long, last changed when.
        let file: FileMark
        let place: LedgerPlace
    }

    package convenience init(_ keys: KeyStore) { self.init(keys, .ledger) }

    init(_ keys: KeyStore, _ journal: LedgerVolume.Journal) {
        directory = keys.directory
        self.journal = journal
        key = keys.ledgerKey
    }

    /// Adds entries; they are on disk when this returns. Many in one call cost hardly more than one.
    ///
    /// Blocks for the disk. May be called by several processes at once.
    package func append(_ entries: [LedgerEntry], _ mark: LedgerMark = .restored) throws {
        try sync(add(entries, mark))
    }

    /// Adds entries. They survive the end of this process, but the machine's only after `sync` of what is returned.
    ///
    /// - Throws: `ledger.tampered` where the file is not as it was written: nothing is added to it then.
    package func add(_ entries: [LedgerEntry], _ mark: LedgerMark = .begun) throws -> LedgerVolume {
        try add(entries.map { .entry($0, mark) })
    }

    /// Refuses a ledger that would take no entry of some erasures, before anything is erased. Adds nothing, and makes a
    /// missing file, because only that shows whether it can be made. A file that another process is writing to is taken
    /// for one that can be written.
    ///
    /// - Throws: `ledger.tampered`, `file.no-space`; errors of the state directory.
    package func requireRoom(for erasures: Int) throws {
        let volume = journal.first
        let file = try directory.openOrMake(volume.fileName, O_RDWR)
        let known = ends.withLock { $0[volume] }
        // Without the lock, for which a writer would not wait but use the next file.
        if try known?.file != FileMark(file.status()) {
            guard try file.take() else { return }
            try remember(try end(of: file, volume), of: file, volume)
        }
        guard try file.room(after: file.size()) >= erasures * LedgerLine.usual else {
            throw FileFailure(ENOSPC).error("The ledger cannot be written")
        }
    }

    /// Notes that erasures, by their receipts, were committed. The note survives the end of this process. A machine
    /// that loses its power may lose it; then it is written again when the database's copy is next compared.
    @discardableResult
    package func confirm(_ receipts: [UUID]) throws -> LedgerVolume {
        try add(receipts.chunks(ofCount: LedgerLine.mostConfirmed).map { .confirmation(Array($0)) })
    }

    func add(_ contents: [LedgerLine.Content]) throws -> LedgerVolume {
        guard !contents.isEmpty else { return journal.first }
        for volume in journal.volumes {
            let file = try directory.openOrMake(volume.fileName, O_RDWR)
            guard try file.take() else { continue }
            try add(contents, to: file, volume)
            return volume
        }
        throw FarewellError(
            "ledger.busy", .tryAgain, "\(LedgerVolume.most) processes are writing to the ledger now.",
            remedy: "Find suspended workers, and resume or end them.")
    }

    /// Adds to a file that no other process is writing to.
    private func add(
        _ contents: [LedgerLine.Content], to file: borrowing Descriptor, _ volume: LedgerVolume
    ) throws {
        var place = try end(of: file, volume)
        var bytes: [UInt8] = []
        for content in contents {
            let line = try LedgerLine.following(place.code, content, key: key)
            bytes += line.bytes
            place = place.after(line)
        }
        guard lseek(file.raw, 0, SEEK_END) >= 0, file.write(bytes) else {
            throw FileFailure(errno).error("The ledger cannot be written")
        }
        try remember(place, of: file, volume)
    }

    /// Stores the end of a file, so that it need not be read again.
    func remember(_ place: LedgerPlace, of file: borrowing Descriptor, _ volume: LedgerVolume) throws {
        let end = End(file: FileMark(try file.status()), place: place)
        ends.withLock { $0[volume] = end }
    }

    /// Returns when everything added so far to a file is on disk. Blocks.
    package func sync(_ volume: LedgerVolume) throws {
        let file = try directory.openOrMake(volume.fileName, O_RDWR)
        guard fsync(file.raw) == 0 else { throw FileFailure(errno).error("The ledger cannot be written") }
    }

    /// The end of a file, once lines of other processes are found genuine. Cuts a torn last line off.
    private func end(of file: borrowing Descriptor, _ volume: LedgerVolume) throws -> LedgerPlace {
        let status = try file.status()
        let known = ends.withLock { $0.removeValue(forKey: volume) }
        let size = Int(status.st_size)
        let place: LedgerPlace
        if let known, known.file == FileMark(status) {
            place = known.place
        } else {
            place = try verifiedEnd(of: file, volume, size: size, after: known?.place)
        }
        if place.size < size, ftruncate(file.raw, off_t(place.size)) != 0 {
            throw FileFailure(errno).error("The ledger cannot be written")
        }
        return place
    }

    /// A short file is read as a whole; of a long one what was added after the place that is known.
    private func verifiedEnd(
        of file: borrowing Descriptor, _ volume: LedgerVolume, size: Int, after known: LedgerPlace?
    ) throws -> LedgerPlace {
        if let known, known.size < size, size > LedgerCheckpoint.least,
            let place = try? walk(file, volume, from: known, { _ in })
        {
            return place
        }
        return try walk(file, volume, from: .beginning(of: volume)) { _ in }
    }

    func tampered(_ what: String, _ volume: LedgerVolume) -> FarewellError {
        FarewellError(
            "ledger.tampered", .yoursToFix, "\(what) of the ledger (\(volume.fileName)) was changed.",
            remedy: journal == .stops
                ? "Restore the file from its own back-up, or move it away: Farewell then adds the holds of the "
                    + "database again. Until then nothing is erased, and forgotten cancellations and holds are not put "
                    + "back."
                : "Restore the ledger from its own back-up, or move the file away: Farewell then restores what "
                    + "the database has of it. Until then nothing is erased, and returned subjects may not be "
                    + "recognised.")
    }
}
