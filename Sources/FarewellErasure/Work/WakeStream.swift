// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Wakes at once, at every signal, and after each pause; ends with its task.
///
/// A merge of swift-async-algorithms would replace the task group only: it keeps a waiting element of each source, each
/// of which would be a wake of its own. Here all signals before the next turn are one wake, and a rest delays only its
/// own source.
struct WakeStream: Sendable {
    let stream: AsyncStream<Void>

    /// - Parameters:
    ///   - rest: The shortest time between two wakes; signals in between become one.
    ///   - urgent: Signals that no rest delays.
    init(
        _ wakes: AsyncStream<Void>, every pause: Duration, rest: Duration = .zero, urgent: AsyncStream<Void>? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let work = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in wakes {
                        continuation.yield()
                        if rest > .zero { try? await sleep(rest) }
                    }
                }
                if let urgent {
                    group.addTask { for await _ in urgent { continuation.yield() } }
                }
                group.addTask {
                    repeat { continuation.yield() } while (try? await sleep(pause)) != nil
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in work.cancel() }
        self.stream = stream
    }
}
