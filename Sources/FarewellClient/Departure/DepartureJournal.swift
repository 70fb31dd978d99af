// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The departure that is under way, written before each of its actions.
struct DepartureJournal: Sendable {
    private let place: SealedTokenStore
    /// Held by whoever wipes this device or signs somebody in: the two never meet.
    let lock: StateLock

    init(in folder: StateFolder) throws {
        place = SealedTokenStore(file: "journal", in: folder)
        lock = try StateLock(folder, "journal.lock")
    }

    /// - Throws: when it cannot be told whether there is one.
    func read() throws -> Departure? {
        switch place.read() {
        case .absent: nil
        case .present(let data): try Departure(decoding: data)
        case .unknown(let error): throw error
        }
    }

    func write(_ departure: Departure) throws { try place.write(departure.encoded()) }
    func remove() throws { try place.remove() }
}
