// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Keeps the record until the process ends: for tests, and for apps that want a sign-in at every launch.
public final class MemoryTokenStore: TokenStore {
    private let record = Guarded<Data?>(nil)

    public init() {}

    public let name = "memory"
    public func read() -> StoreReading { record.withLock { $0 }.map(StoreReading.present) ?? .absent }
    public func write(_ record: Data) { self.record.withLock { $0 = record } }
    public func remove() { record.withLock { $0 = nil } }
}
