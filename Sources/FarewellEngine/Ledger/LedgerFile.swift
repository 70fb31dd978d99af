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
/// or exchanged line is found. A line torn by a crash was never acknowledged and is passed over.
///
/// Mostly it is one file. Who finds somebody else writing takes the next one (`LedgerVolume`) and does not wait.
package final class LedgerFile: Sendable {
    private let directory: StateDirectory
    private let key: KeyedHash.Key
    /// The ends of the files as this process last left them: while nobody else has added to one, it need not be read.
    private let ends = Guarded<[LedgerVolume: End]>([:])

    private struct End: Sendable {
        /// The file as it was then: which one, how long, last changed when.
        let file: FileMark
        let code: String
    }

    package init(_ keys: KeyStore) {
        directory = keys.directory
        key = keys.ledgerKey
    }

    /// Adds entries; they are on disk when this returns. Many in one call cost hardly more than one.
    ///
    /// Blocks for the disk. May be called by several processes at once.
    package func append(_ entries: [LedgerEntry]) throws {
        try sync(add(entries))
    }

    /// Adds entries. They survive the end of this process, but the machine's only after `sync` of what is returned.
    package func add(_ entries: [LedgerEntry]) throws -> LedgerVolume {
        guard !entries.isEmpty else { return .first }
        for volume in LedgerVolume.all {
            let file = try directory.openOrMake(volume.fileName, O_RDWR)
            guard try file.take() else { continue }
            try add(entries, to: file, volume)
            return volume
        }
        throw FarewellError(
            "ledger.busy", .tryAgain, "\(LedgerVolume.all.count) processes are writing to the ledger at this moment.",
            remedy: "Look for workers that were stopped and never went on.")
    }

    /// Adds to a file that nobody else is writing to.
    private func add(_ entries: [LedgerEntry], to file: borrowing Descriptor, _ volume: LedgerVolume) throws {
        let mark = FileMark(try file.status())
        let known = ends.withLock { $0.removeValue(forKey: volume) }
        var code: String
        if let known, known.file == mark { code = known.code } else { code = try repairedEnd(of: file, volume) }
        var bytes: [UInt8] = []
        for entry in entries {
            let line = try LedgerLine.following(code, entry, key: key)
            code = line.code
            bytes += try line.data()
        }
        guard lseek(file.raw, 0, SEEK_END) >= 0, file.write(bytes) else {
            throw FileFailure(errno).error("The ledger cannot be written")
        }
        let left = End(file: FileMark(try file.status()), code: code)
        ends.withLock { $0[volume] = left }
    }

    /// Returns when everything added so far to a file is on disk. Blocks.
    package func sync(_ volume: LedgerVolume) throws {
        let file = try directory.openOrMake(volume.fileName, O_RDWR)
        guard fsync(file.raw) == 0 else { throw FileFailure(errno).error("The ledger cannot be written") }
    }

    /// Everybody in the ledger. Throws `ledger.tampered` with the number of the first line that is not genuine.
    package func read() throws -> Ledger {
        var ledger = Ledger()
        // The last one first: each was made when the one before was there, also while somebody reads.
        let last = try LedgerVolume.all.last { try directory.contains($0.fileName) }
        for volume in LedgerVolume.all.prefix(last?.number ?? 0) {
            guard let file = try directory.open(volume.fileName, O_RDONLY) else {
                throw tampered("The beginning", volume)
            }
            try read(file, volume, into: &ledger)
        }
        return ledger
    }

    private func read(_ file: borrowing Descriptor, _ volume: LedgerVolume, into ledger: inout Ledger) throws {
        var code = volume.beginning
        var number = 0
        var rest: [UInt8] = []
        while true {
            let more = try file.read(1 << 16)
            // What is left without its line feed was torn by a crash, and never acknowledged.
            if more.isEmpty { return }
            rest += more
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                guard let line = LedgerLine.reading(Array(rest[start..<end]), after: code, key: key) else {
                    throw tampered("Line \(number)", volume)
                }
                code = line.code
                ledger.add(line.entry)
                start = end + 1
            }
            rest.removeFirst(start)
            guard rest.count <= LedgerLine.longest else { throw tampered("Line \(number + 1)", volume) }
        }
    }

    /// Cuts off a torn last line and answers the code of the line before.
    private func repairedEnd(of file: borrowing Descriptor, _ volume: LedgerVolume) throws -> String {
        let size = try file.size()
        // The last two lines are certain to begin in here.
        let start = max(0, size - 2 * LedgerLine.longest)
        guard lseek(file.raw, off_t(start), SEEK_SET) >= 0 else {
            throw FileFailure(errno).error("The ledger cannot be read")
        }
        let tail = try file.readToEnd(limit: size - start)
        let whole = tail.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if whole < tail.count {
            guard tail.count - whole <= LedgerLine.longest else { throw tampered("The last line", volume) }
            guard ftruncate(file.raw, off_t(start + whole)) == 0 else {
                throw FileFailure(errno).error("The ledger cannot be written")
            }
        }
        guard whole > 0 else { return volume.beginning }
        let lines = tail[..<(whole - 1)].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let code = lines.last.flatMap({ LedgerLine.code(of: Array($0)) }) else {
            throw tampered("The last line", volume)
        }
        return code
    }

    private func tampered(_ what: String, _ volume: LedgerVolume) -> FarewellError {
        FarewellError(
            "ledger.tampered", .yoursToFix, "\(what) of the ledger (\(volume.fileName)) is not as it was written.",
            remedy: "Put the ledger back from its own back-up; until then the returned cannot be told for certain.")
    }
}
