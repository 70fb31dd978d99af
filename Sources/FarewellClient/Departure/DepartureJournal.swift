// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The departure that is under way, written before each of its actions.
struct DepartureJournal: Sendable {
    private let place: SealedTokenStore
    /// Held by the process that wipes this device or signs a user in.
    let claim: DeviceClaim

    init(in folder: StateFolder, _ environment: ClientEnvironment) throws {
        place = SealedTokenStore(file: "journal", in: folder)
        claim = try DeviceClaim(in: folder, environment)
    }

    /// - Throws: when it cannot be told whether there is one.
    func read() throws -> Departure? {
        switch place.read() {
        case .absent: nil
        // Under a key that is gone, as the session is: what was under way is found by wiping before the next sign-in.
        case .unknown(.recordForeign): nil
        case .present(let data): try Departure(decoding: data)
        case .unknown(let error): throw error
        }
    }

    func write(_ departure: Departure) throws { try place.write(departure.encoded()) }
    func remove() throws { try place.remove() }
}
