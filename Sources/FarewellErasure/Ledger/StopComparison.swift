// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// The differences between the file of stops and the database. Decides, and changes nothing.
///
/// An erasure stays stopped if either knows a stop and the other no later end of it.
struct StopComparison: Sendable {
    /// Erasures that their subjects cancelled, and that wait in the database, as after its back-up was restored.
    private(set) var cancelling: [StopStanding.Live] = []
    /// Erasures that an operator held and the database does not hold; and cancelled ones that have begun since.
    private(set) var holding: [StopStanding.Live] = []
    /// Held erasures that the file does not have.
    private(set) var unknownHeld: Set<UUID> = []
    /// Holds that ended, though the file does not have the end: another state directory was used for that.
    private var unknownEnds: [UUID: Date] = [:]

    init(_ file: Stops, _ database: StopStanding) {
        for erasure in database.live { compare(erasure, file, database) }
        unknownHeld = database.held.filter { file.held[$0] == nil }
    }

    /// The erasures that the database must not have alive, or not without a hold.
    static func candidates(_ file: Stops, held: Set<UUID>) -> Set<UUID> {
        Set(file.cancelled.keys).union(file.held.keys.filter { !held.contains($0) })
    }

    private mutating func compare(_ live: StopStanding.Live, _ file: Stops, _ database: StopStanding) {
        let id = live.erasure
        let end = database.ended[id]
        let isEnded = { (since: Date) in end.map { $0 >= since } ?? false }
        var isHeld = database.held.contains(id)
        if !isHeld, let since = file.held[id] {
            if isEnded(since) {
                unknownEnds[id] = end
            } else {
                holding.append(live)
                isHeld = true
            }
        }
        guard let cancelled = file.cancelled[id] else { return }
        if live.isWaiting {
            cancelling.append(live)
        } else if !isHeld, !isEnded(cancelled) {
            // It cannot be cancelled any more: an operator decides.
            holding.append(live)
        }
    }

    /// The live erasures about which they differ.
    var concerned: Set<UUID> { Set((cancelling + holding).map(\.erasure) + unknownEnds.keys) }

    /// Whether nothing is to be done.
    var isSame: Bool {
        cancelling.isEmpty && holding.isEmpty && unknownHeld.isEmpty && unknownEnds.isEmpty
    }

    /// The lines that the file lacks, once the database holds what it is to hold.
    func lines(_ file: Stops, at now: Date) -> [Stop] {
        let newlyHeld = holding.map(\.erasure).filter { file.held[$0] == nil }
        return unknownEnds.map { Stop.holdEnded($0.key, at: $0.value) }
            + unknownHeld.union(newlyHeld).map { Stop.held($0, at: now) }
    }
}
