// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The place up to which the files of stops were read and found genuine, with the holds and removed keys that counted
/// then. It has no cancellations, because their number grows without end. A reader that has applied all of the stops
/// continues here.
package struct StopMark: Sendable, Hashable, Codable {
    let held: [Stop]
    let removedKeys: [Stop]
    let volumes: [LedgerCheckpoint.Volume]

    /// The number of bytes after which another mark is made: some 360 lines.
    package static let stride = 1 << 16

    init(_ stops: Stops, _ volumes: [LedgerCheckpoint.Volume], at now: Date) {
        held = stops.held.map { Stop(.held, of: $0.key, at: $0.value) }.sorted { $0.id < $1.id }
        removedKeys = stops.removedKeys.sorted().map { .keyRemoved($0, at: now) }
        self.volumes = volumes
    }

    /// `nil` for a text that is none.
    package init?(text: String) {
        guard let mark = try? JSONDecoder().decode(StopMark.self, from: Data(text.utf8)),
            mark.volumes.count <= LedgerVolume.most,
            mark.volumes.allSatisfy({ $0.place.size >= 0 && $0.place.lines >= 0 })
        else { return nil }
        self = mark
    }

    /// As a database keeps it.
    package func text() throws -> String { String(decoding: try CanonicalJSON.data(self), as: UTF8.self) }

    /// The lines that count without being read.
    var lines: [Stop] { held + removedKeys }
}
