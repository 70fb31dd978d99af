// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Remembers when a database last refused a write for lack of space, so that a readiness check needs no write of its
/// own.
package final class RefusedWrites: Sendable {
    /// How long a refusal counts. The background duties write more often, so that a full disk renews it.
    package static let memory = Duration.seconds(30)

    private let last = Guarded<(code: FarewellError.Code, at: ContinuousClock.Instant)?>(nil)

    package init() {}

    /// Takes note of an error of the database; others than those of a disk that takes no writes are ignored.
    package func note(_ error: any Error, at now: ContinuousClock.Instant = .now) {
        guard let error = error as? FarewellError, Self.refusesWrites(error) else { return }
        last.withLock { $0 = (error.code, now) }
    }

    /// Runs `body`, and takes note of its error.
    package func noting<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            note(error)
            throw error
        }
    }

    private static func refusesWrites(_ error: FarewellError) -> Bool {
        error.code == "sql.53100"
            || error.code == "sql.58030"
                && WriteObstacle.failedWrites.contains { error.message.utf8.starts(with: $0.utf8) }
    }

    /// The last refusal, as long as it counts; without the server's own words, which may name files.
    package func recent(at now: ContinuousClock.Instant = .now) -> FarewellError? {
        guard let last = last.withLock({ $0 }), last.at.duration(to: now) <= Self.memory else { return nil }
        return last.code == "sql.53100" ? WriteObstacle.diskFull : WriteObstacle.diskFails
    }
}
