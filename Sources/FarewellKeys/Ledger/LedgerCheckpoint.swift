// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// How far the ledger's files were read and found genuine, with what they held: kept beside them, so that a long ledger
/// need not be read as a whole each time. Without it, or if it does not fit, the whole is read.
package struct LedgerCheckpoint: Sendable, Hashable, Codable {
    struct Volume: Sendable, Hashable, Codable {
        let place: LedgerPlace
        /// SHA-256 of everything before the place.
        let digest: String
    }

    package var count: LedgerCount
    /// Erasures of which the two copies say different things.
    package var conflicting: Int
    var volumes: [Volume] = []
    /// Bytes found after it. Not kept.
    package var grown = 0

    init(count: LedgerCount, conflicting: Int) {
        self.count = count
        self.conflicting = conflicting
    }

    static let fileName = "ledger.checked"
    /// A ledger of fewer bytes is read as a whole: some 200 erasures.
    static let least = 1 << 16
    /// The number of bytes after which another checkpoint is made.
    package static let stride = 1 << 20

    private enum CodingKeys: String, CodingKey {
        // The name in files of earlier versions.
        case count = "tally"
        case conflicting, volumes
    }

    /// `nil` if there is none that can be read.
    static func read(from directory: StateDirectory) throws -> LedgerCheckpoint? {
        guard let data = try? directory.read(fileName, limit: 1 << 16) else { return nil }
        guard let found = try? JSONDecoder().decode(LedgerCheckpoint.self, from: data) else { return nil }
        let isSane = found.volumes.allSatisfy { $0.place.size >= 0 && $0.place.lines >= 0 }
        return isSane && found.volumes.count <= LedgerVolume.most ? found : nil
    }
}
