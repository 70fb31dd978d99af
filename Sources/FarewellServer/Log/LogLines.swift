// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Lines of a log on their way out. Who adds one does not wait for the system to take it: lines that come while others
/// are being written go out together, with one call and in the order in which they came.
///
/// What was added in the last moment before a kill may be missing; after `flush` nothing is.
package final class LogLines: Sendable {
    private struct State: Sendable {
        var waiting: [UInt8] = []
        /// Whether somebody will write what is waiting.
        var isTaken = false

        mutating func next() -> [UInt8]? {
            guard !waiting.isEmpty else {
                isTaken = false
                return nil
            }
            defer { waiting = [] }
            return waiting
        }
    }

    private let most: Int
    private let write: @Sendable ([UInt8]) -> Void
    private let state = Guarded(State())
    /// Whoever writes holds it.
    private let turn = Guarded(())

    /// - Parameters:
    ///   - most: How many bytes may wait; who adds more waits itself, so that a reader that has stopped reading does
    ///     not fill the memory.
    ///   - write: Takes whole lines; one call at a time.
    package init(most: Int = 1 << 20, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.most = most
        self.write = write
    }

    /// Adds lines that end with their line feed.
    package func add(_ text: String) {
        let (isFirst, isFull) = state.withLock { state in
            let isFirst = !state.isTaken
            state.isTaken = true
            state.waiting.append(contentsOf: text.utf8)
            return (isFirst, state.waiting.count > most)
        }
        if isFull { flush() } else if isFirst { Task { flush() } }
    }

    /// Waits until all that was added before is written.
    package func flush() {
        turn.withLock { _ in
            while let lines = state.withLock({ $0.next() }) { write(lines) }
        }
    }
}
