// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The departure that is under way, written before each of its actions.
struct DepartureJournal: Sendable {
    private let place: SealedTokenStore
    /// Held by the process that wipes this device or signs a user in.
    let claim: DeviceClaim
    /// Held by the process that requests a deletion, until the outcome is in the journal, so that no second request has
    /// a key of its own. A process that needs both claims takes this one first.
    let request: DeviceClaim

    init(in folder: StateFolder, _ environment: ClientEnvironment) {
        place = SealedTokenStore(file: "journal", in: folder)
        claim = DeviceClaim(in: folder, environment)
        request = DeviceClaim(in: folder, environment, file: "deletion.claim")
    }

    /// - Throws: an error if it is unknown whether there is one.
    func read() throws -> Departure? {
        switch place.read() {
        case .absent: nil
        // The key is gone, as for the session: the next sign-in completes the interrupted departure by wiping.
        case .unknown(.recordForeign): nil
        case .present(let data): try Departure(decoding: data)
        case .unknown(let error): throw error
        }
    }

    func write(_ departure: Departure) throws { try place.write(departure.encoded()) }
    func remove() throws { try place.remove() }
}
