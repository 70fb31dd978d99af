// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The queue of a log. A caller that adds a line does not wait for the system: lines that arrive during a write are
/// written together afterwards, with one call and in the order of arrival.
///
/// Lines added in the last moment before a kill may be missing; after `flush` none are.
package final class LogLines: Sendable {
    private struct State: Sendable {
        var waiting: [UInt8] = []
        /// Whether a writer has taken the waiting lines.
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
    /// The writer holds it.
    private let turn = Guarded(())

    /// - Parameters:
    ///   - most: How many bytes may wait; a caller that adds more waits itself, so that a reader that has stopped
    ///     reading does not fill the memory.
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
