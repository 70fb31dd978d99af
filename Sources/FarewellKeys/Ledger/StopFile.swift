// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The file of stops (`stops.jsonl`): a journal beside the ledger, written and read as that is. No restore of a
/// database takes it back, so it still knows what stopped an erasure or a key when the database does not.
package struct StopFile: Sendable {
    private let file: LedgerFile
    /// Up to where this process has read the removed keys.
    private let lastMark = Guarded<StopMark?>(nil)

    package init(_ keys: KeyStore) { file = LedgerFile(keys, .stops) }

    /// Adds lines; they are on disk when this returns. Blocks.
    ///
    /// - Throws: `ledger.tampered` where the file is not as it was written, and errors of the state directory.
    package func append(_ stops: [Stop]) throws {
        guard !stops.isEmpty else { return }
        try file.sync(try file.add(stops.map { .stop($0) }))
    }

    /// - Throws: `ledger.tampered` with the number of the first line that is not genuine.
    package func read() throws -> Stops { try read(after: nil).stops }

    /// Reads on from a mark; the whole file if there is none, or if it does not fit.
    ///
    /// - Throws: As `read`.
    package func read(after mark: StopMark?) throws -> StopReading { try file.readStops(after: mark) }

    /// The mark at the end of what was read.
    ///
    /// - Throws: Errors of the state directory.
    package func mark(of reading: StopReading, at now: Date) throws -> StopMark {
        try file.mark(of: reading, at: now)
    }

    /// Removed signing keys. Repeated, it reads what was added since.
    ///
    /// - Throws: As `read`.
    package func readRemovedKeys(at now: Date) throws -> Set<String> {
        let reading = try read(after: lastMark.withLock { $0 })
        if reading.size >= StopMark.stride {
            let next = try mark(of: reading, at: now)
            lastMark.withLock { $0 = next }
        }
        return reading.stops.removedKeys
    }
}
