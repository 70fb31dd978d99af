// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// The revocation feed from a cursor on.
public struct RevocationFeed: AsyncSequence, Sendable {
    public typealias Element = Revocation

    let revocations: RevocationReader
    let cursor: Int64

    public func makeAsyncIterator() -> Iterator {
        // Listening begins before the first look, so that nothing falls between.
        Iterator(revocations: revocations, cursor: cursor, wakes: revocations.signal.wakes.makeAsyncIterator())
    }

    /// Reads a batch, hands it out, and waits for the next signal.
    public struct Iterator: AsyncIteratorProtocol {
        let revocations: RevocationReader
        var cursor: Int64
        var wakes: AsyncStream<Void>.Iterator
        var read: ArraySlice<Revocation> = []

        /// The next entry; `nil` when the task is cancelled.
        public mutating func next() async throws -> Revocation? {
            while !Task.isCancelled {
                if let entry = read.popFirst() {
                    cursor = entry.cursor
                    return entry
                }
                do {
                    read = try await revocations.entries(after: cursor)[...]
                } catch let error as FarewellError where error.family == .tryAgain {
                    try await revocations.environment.sleep(revocations.settings.feedPoll)
                    continue
                }
                if read.isEmpty, await wakes.next(isolation: #isolation) == nil { return nil }
            }
            return nil
        }
    }
}
