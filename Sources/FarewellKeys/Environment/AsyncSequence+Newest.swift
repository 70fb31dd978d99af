// SPDX-License-Identifier: Apache-2.0

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The elements, of which only the newest waits for a busy consumer: all wakes before the next turn are one.
    ///
    /// It begins at once, and ends with its consumer, also with one that leaves the loop without being cancelled. The
    /// task of swift-async-algorithms' `buffer` would go on then: it holds itself until the elements end.
    package func newest() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(1))
        let work = Task {
            // A failure is the end.
            do { for try await element in self { continuation.yield(element) } } catch {}
            continuation.finish()
        }
        continuation.onTermination = { _ in work.cancel() }
        return stream
    }
}
