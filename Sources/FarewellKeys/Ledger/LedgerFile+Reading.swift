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

extension LedgerFile {
    /// All entries of the ledger. Throws `ledger.tampered` with the number of the first line that is not genuine.
    package func read() throws -> Ledger {
        var ledger = Ledger()
        try eachVolume { file, volume in
            let end = try walk(file, volume, from: .beginning(of: volume)) { line in
                switch line.content {
                case .entry(let entry, let mark): ledger.add(entry, mark)
                case .confirmation(let receipts): ledger.confirm(receipts)
                case .stop, nil: throw unknown(volume)
                }
            }
            try remember(end, of: file, volume)
        }
        return ledger
    }

    /// The lines of the files of stops after a mark; all of them if there is none, or if it does not fit the files.
    /// Throws as `read` does.
    func readStops(after mark: StopMark?) throws -> StopReading {
        var lines = mark?.lines ?? []
        var ends: [LedgerPlace] = []
        var size = 0
        var fits = true
        try eachVolume { file, volume in
            let known = mark?.volumes.dropFirst(ends.count).first
            if let known, try digest(of: file, known.place.size) != known.digest { fits = false }
            guard fits else { return }
            let start = known?.place ?? .beginning(of: volume)
            let end = try walk(file, volume, from: start) { line in
                guard case .stop(let stop) = line.content else { throw unknown(volume) }
                lines.append(stop)
            }
            try remember(end, of: file, volume)
            size += end.size - start.size
            ends.append(end)
        }
        if let mark, !fits || ends.count < mark.volumes.count { return try readStops(after: nil) }
        return StopReading(stops: Stops(lines), size: size, ends: ends)
    }

    /// The mark at the end of what was read.
    func mark(of reading: StopReading, at now: Date) throws -> StopMark {
        var volumes: [LedgerCheckpoint.Volume] = []
        try eachVolume { file, _ in
            guard volumes.count < reading.ends.count else { return }
            let end = reading.ends[volumes.count]
            volumes.append(.init(place: end, digest: try digest(of: file, end.size)))
        }
        return StopMark(reading.stops, volumes, at: now)
    }

    /// The contents of the file by number, from a checkpoint and the lines after it; `nil` if no checkpoint fits and
    /// the whole file must be read.
    ///
    /// - Throws: `ledger.tampered` when a line after the checkpoint is not genuine.
    package func survey() throws -> LedgerCheckpoint? {
        guard var found = try LedgerCheckpoint.read(from: directory) else { return nil }
        var fits = true
        var number = 0
        try eachVolume { file, volume in
            let known = number < found.volumes.count ? found.volumes[number] : nil
            number += 1
            if let known, try digest(of: file, known.place.size) != known.digest { fits = false }
            guard fits else { return }
            let end = try walk(file, volume, from: known?.place ?? .beginning(of: volume)) { line in
                // It counts when a later line confirms it.
                if line.isBegun { return }
                switch line.content {
                case .entry(let entry, let mark): if mark.isConfirmed { found.count.add(entry.receipt) }
                case .confirmation(let receipts): for receipt in receipts { found.count.add(receipt) }
                case .stop, nil: throw unknown(volume)
                }
            }
            found.grown += end.size - (known?.place.size ?? 0)
            try remember(end, of: file, volume)
        }
        return fits && number >= found.volumes.count ? found : nil
    }

    /// Keeps what was found, so that the next look need only read what is added from now on. A short ledger is read as
    /// a whole each time.
    package func keep(_ count: LedgerCount, conflicting: Int) throws {
        var checkpoint = LedgerCheckpoint(count: count, conflicting: conflicting)
        try eachVolume { file, volume in
            let end = try walk(file, volume, from: .beginning(of: volume)) { _ in }
            checkpoint.volumes.append(.init(place: end, digest: try digest(of: file, end.size)))
        }
        guard checkpoint.volumes.reduce(0, { $0 + $1.place.size }) >= LedgerCheckpoint.least else { return }
        // If it cannot be written, as on a full disk, the whole is read again the next time.
        try? directory.replace(LedgerCheckpoint.fileName, with: CanonicalJSON.data(checkpoint))
    }

    /// Lends each existing file, in order.
    private func eachVolume(_ body: (borrowing Descriptor, LedgerVolume) throws -> Void) throws {
        // The last file comes first: each was made after the one before, also during a read.
        let last = try journal.volumes.last { try directory.contains($0.fileName) }
        for volume in journal.volumes.prefix(last?.number ?? 0) {
            guard let file = try directory.open(volume.fileName, O_RDONLY) else {
                throw tampered("The beginning", volume)
            }
            try body(file, volume)
        }
    }

    /// Goes through the lines after a place.
    ///
    /// - Returns: The place after the last whole line. A remainder without a line feed was torn by a crash and never
    ///   acknowledged.
    /// - Throws: `ledger.tampered` with the number of the first line that is not genuine.
    func walk(
        _ file: borrowing Descriptor, _ volume: LedgerVolume, from start: LedgerPlace,
        _ visit: (LedgerLine) throws -> Void
    ) throws -> LedgerPlace {
        guard lseek(file.raw, off_t(start.size), SEEK_SET) >= 0 else {
            throw FileFailure(errno).error("The ledger cannot be read")
        }
        var place = start
        var rest: [UInt8] = []
        while true {
            let more = try file.read(1 << 16)
            if more.isEmpty { return place }
            rest += more
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                guard let line = LedgerLine.reading(rest[start..<end], after: place.code, key: key) else {
                    throw tampered("Line \(place.lines + 1)", volume)
                }
                place = place.after(line)
                try visit(line)
                start = end + 1
            }
            rest.removeFirst(start)
            guard rest.count <= LedgerLine.longest else { throw tampered("Line \(place.lines + 1)", volume) }
        }
    }

    /// SHA-256 of the beginning of a file; of less where the file is shorter.
    private func digest(of file: borrowing Descriptor, _ size: Int) throws -> String {
        guard lseek(file.raw, 0, SEEK_SET) >= 0 else { throw FileFailure(errno).error("The ledger cannot be read") }
        var hash = SHA256()
        var left = size
        while left > 0 {
            let more = try file.read(min(left, 1 << 18))
            if more.isEmpty { break }
            hash.update(data: more)
            left -= more.count
        }
        return hash.finalize().hexadecimal
    }

    private func unknown(_ volume: LedgerVolume) -> FarewellError {
        FarewellError(
            "ledger.newer", .yoursToFix,
            "The ledger (\(volume.fileName)) has a line of a newer version.",
            remedy: "Use the newer farewell that wrote it.")
    }
}
