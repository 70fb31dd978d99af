// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A file of the state folder as a place for one record.
struct StateFile: TokenStore {
    let folder: StateFolder
    let file: String

    var name: String { file }

    func read() -> StoreReading {
        do {
            return try folder.read(file).map(StoreReading.present) ?? .absent
        } catch {
            return .unknown(.of(error))
        }
    }

    func write(_ record: Data) throws { try folder.replace(file, with: record) }
    func remove() throws { try folder.remove(file) }
}
