// SPDX-License-Identifier: Apache-2.0
import Farewell

extension EngineEnvironment {
    /// An act that may still have an effect, or learn its effect, although its caller was cancelled.
    package typealias Act = @Sendable () async -> Void

    /// How long an act may continue after its caller was cancelled. A process that stops needs an end, even if its
    /// database has become silent.
    private static let timeout = Duration.seconds(10)

    /// Completes acts of cancelled callers. Ten seconds after the cancellation an act is cancelled as well.
    static func completing(
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) -> @Sendable (_ act: @escaping Act) async -> Void {
        { act in
            let task = Task { await act() }
            let limit = Guarded<Task<Void, Never>?>(nil)
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                let timer = Task { if (try? await sleep(timeout)) != nil { task.cancel() } }
                limit.withLock { $0 = timer }
            }
            limit.withLock(\.self)?.cancel()
        }
    }

    /// Completes work as `uninterrupted` does, so that the caller learns its effect.
    ///
    /// - Throws: errors of the work.
    package func completing<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let outcome = Guarded<Result<Value, any Error>>(.failure(CancellationError()))
        await uninterrupted {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        return try outcome.withLock(\.self).get()
    }
}
