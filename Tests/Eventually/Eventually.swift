// SPDX-License-Identifier: Apache-2.0

/// The condition did not hold within ten minutes.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until a condition holds, looking every other millisecond; a test that waits for nothing fails, and does not
/// keep all the others waiting.
package func eventually(
    _ condition: () async throws -> Bool, file: String = #fileID, line: Int = #line
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(600)
    while try await !condition() {
        guard clock.now < end else { throw NeverHappened(description: "it never came to be: \(file):\(line)") }
        try await clock.sleep(for: .milliseconds(2))
    }
}

/// Returns when the task is cancelled, and keeps no thread meanwhile.
package func untilCancelled() async {
    let (nothing, source) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    source.finish()
}
