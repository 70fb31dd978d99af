// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The file of stops (`stops.jsonl`): a journal beside the ledger, written and read as that is. No restore of a
/// database takes it back, so it still knows what stopped an erasure or a key when the database does not.
package struct StopFile: Sendable {
    private let file: LedgerFile

    package init(_ keys: KeyStore) { file = LedgerFile(keys, .stops) }

    /// Adds lines; they are on disk when this returns. Blocks.
    ///
    /// - Throws: `ledger.tampered` where the file is not as it was written, and errors of the state directory.
    package func append(_ stops: [Stop]) throws {
        guard !stops.isEmpty else { return }
        try file.sync(try file.add(stops.map { .stop($0) }))
    }

    /// - Throws: `ledger.tampered` with the number of the first line that is not genuine.
    package func read() throws -> Stops { Stops(try file.readStops()) }
}
