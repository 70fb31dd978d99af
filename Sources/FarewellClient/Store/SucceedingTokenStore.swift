// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A store that replaces an earlier one: the record is read at its former place, and the next write moves it.
struct SucceedingTokenStore: MovingTokenStore {
    let store: any TokenStore
    let earlier: any TokenStore

    var name: String { store.name }

    func read() -> StoreReading {
        let reading = store.read()
        guard case .absent = reading else { return reading }
        return earlier.read()
    }

    func write(_ record: Data) throws {
        try store.write(record)
        // The new place is read first; the next write, removal or departure removes a record in the earlier one.
        try? earlier.remove()
    }

    func remove() throws {
        // The present record last: if the process ends between the two, an earlier one does not reappear.
        try earlier.remove()
        try store.remove()
    }

    func removeEarlier() throws {
        try earlier.remove()
        try (store as? any MovingTokenStore)?.removeEarlier()
    }
}
