// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The events of a device's session. Each subscriber has its own queue: a slow one delays no other and misses nothing
/// that matters; of several waiting renewals only the last stays.
public struct SessionEvents: AsyncSequence, Sendable {
    let hub: EventHub

    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: hub.subscribe()) }

    /// Ends when the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: EventMailbox

        public mutating func next() async -> SessionEvent? { await mailbox.next() }
    }
}
