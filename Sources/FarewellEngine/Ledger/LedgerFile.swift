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
package final class LedgerFile: Sendable {
    private let directory: StateDirectory
    private let key: KeyedHash.Key
    /// The end of the file as this process last left it: while nobody else has added to it, it need not be read.
    private let end = Guarded<End?>(nil)

    private struct End: Sendable {
        /// The file as it was then: which one, how long, last changed when.
        let file: FileMark
        let code: String
    }

    static let fileName = "ledger.jsonl"

    package init(_ keys: KeyStore) {
        directory = keys.directory
        key = keys.ledgerKey
    }

    /// Adds entries; they are on disk when this returns. Many in one call cost hardly more than one.
    ///
    /// Blocks for the disk. May be called by several processes at once.
    package func append(_ entries: [LedgerEntry]) throws {
        try add(entries)
        try sync()
    }

    /// Adds entries. They survive the end of this process, but the machine's only after `sync`.
    package func add(_ entries: [LedgerEntry]) throws {
        guard !entries.isEmpty else { return }
        try directory.locked {
            let file = try directory.openOrMake(Self.fileName, O_RDWR)
            let mark = FileMark(try file.status())
            let known = end.withLock { known in
                defer { known = nil }
                return known
            }
            var code = try known?.file == mark ? known?.code ?? repairedEnd(of: file) : repairedEnd(of: file)
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
            end.withLock { $0 = left }
        }
    }

    /// Returns when everything added so far is on disk. Blocks.
    package func sync() throws {
        let file = try directory.openOrMake(Self.fileName, O_RDWR)
        guard fsync(file.raw) == 0 else { throw FileFailure(errno).error("The ledger cannot be written") }
    }

    /// Everybody in the ledger. Throws `ledger.tampered` with the number of the first line that is not genuine.
    package func read() throws -> Ledger {
        var ledger = Ledger()
        guard let file = try directory.open(Self.fileName, O_RDONLY) else { return ledger }
        var code = LedgerLine.beginning
        var number = 0
        var rest: [UInt8] = []
        while true {
            let more = try file.read(1 << 16)
            // What is left without its line feed was torn by a crash, and never acknowledged.
            if more.isEmpty { return ledger }
            rest += more
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                guard let line = LedgerLine.reading(Array(rest[start..<end]), after: code, key: key) else {
                    throw tampered("Line \(number)")
                }
                code = line.code
                ledger.add(line.entry)
                start = end + 1
            }
            rest.removeFirst(start)
            guard rest.count <= LedgerLine.longest else { throw tampered("Line \(number + 1)") }
        }
    }

    /// Cuts off a torn last line and answers the code of the line before.
    private func repairedEnd(of file: borrowing Descriptor) throws -> String {
        let size = try file.size()
        // The last two lines are certain to begin in here.
        let start = max(0, size - 2 * LedgerLine.longest)
        guard lseek(file.raw, off_t(start), SEEK_SET) >= 0 else {
            throw FileFailure(errno).error("The ledger cannot be read")
        }
        let tail = try file.readToEnd(limit: size - start)
        let whole = tail.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if whole < tail.count {
            guard tail.count - whole <= LedgerLine.longest else { throw tampered("The last line") }
            guard ftruncate(file.raw, off_t(start + whole)) == 0 else {
                throw FileFailure(errno).error("The ledger cannot be written")
            }
        }
        guard whole > 0 else { return LedgerLine.beginning }
        let lines = tail[..<(whole - 1)].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let code = lines.last.flatMap({ LedgerLine.code(of: Array($0)) }) else { throw tampered("The last line") }
        return code
    }

    private func tampered(_ what: String) -> FarewellError {
        FarewellError(
            "ledger.tampered", .yoursToFix, "\(what) of the ledger (\(Self.fileName)) is not as it was written.",
            remedy: "Put the ledger back from its own back-up; until then the returned cannot be told for certain.")
    }
}
