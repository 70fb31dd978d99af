// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// A store that can be locked, and that can refuse to write or remove.
final class LockableStore: TokenStore {
    let inner = MemoryTokenStore()
    let isLocked = Guarded(false)
    let refusesWrites = Guarded(false)
    let name = "lockable"
    private static let locked = FarewellError("test.locked", .tryAgain, "Locked.")

    func read() -> StoreReading { isLocked.withLock { $0 } ? .unknown(Self.locked) : inner.read() }

    func write(_ record: Data) throws {
        if isLocked.withLock({ $0 }) || refusesWrites.withLock({ $0 }) { throw Self.locked }
        inner.write(record)
    }

    func remove() throws {
        if isLocked.withLock({ $0 }) || refusesWrites.withLock({ $0 }) { throw Self.locked }
        inner.remove()
    }
}
