// SPDX-License-Identifier: Apache-2.0

internal import AsyncAlgorithms

/// Wakes at once, at every signal, and after each pause; ends with its task. All signals before the next turn are one
/// wake.
package struct WakeStream: Sendable {
    package let stream: AsyncStream<Void>

    /// - Parameters:
    ///   - rest: The shortest time between two wakes by `wakes`; signals in between become one. No other wake waits.
    ///   - urgent: Signals that no rest delays.
    package init(
        _ wakes: AsyncStream<Void>, every pause: Duration, rest: Duration = .zero,
        urgent: AsyncStream<Void> = AsyncStream { $0.finish() },
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        let rested = wakes.flatMap {
            let end = AsyncStream<Void>(unfolding: {
                if rest > .zero { try? await sleep(rest) }
                return nil
            })
            return chain([()].async, end)
        }
        let pauses = AsyncStream<Void>(unfolding: { try? await sleep(pause) })
        stream = merge(rested, urgent, chain([()].async, pauses)).newest()
    }
}
