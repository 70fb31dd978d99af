// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// All stops that the state directory remembers, by what they stopped.
package struct Stops: Sendable {
    /// Cancelled erasures, with the time of the newest word about each.
    package private(set) var cancelled: [UUID: Date] = [:]
    /// Erasures that are held, with the time of the newest word about each.
    package private(set) var held: [UUID: Date] = [:]
    /// Removed signing keys.
    package private(set) var removedKeys: Set<String> = []

    /// - Parameter lines: As they were written. Writers that found a file locked used another one, so their order is
    ///   that of their times.
    package init(_ lines: some Sequence<Stop> = []) {
        let ordered = lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        for (_, stop) in ordered { add(stop) }
    }

    private mutating func add(_ stop: Stop) {
        if stop.kind == .keyRemoved {
            removedKeys.insert(stop.id)
            return
        }
        guard let erasure = UUID(text: stop.id) else { return }
        switch stop.kind {
        case .cancelled: cancelled[erasure] = stop.at
        case .held: held[erasure] = stop.at
        case .holdEnded: held[erasure] = nil
        case .keyRemoved: break
        }
    }
}
