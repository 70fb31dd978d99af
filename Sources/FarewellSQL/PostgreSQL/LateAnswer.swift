// SPDX-License-Identifier: Apache-2.0
import Farewell

/// An answer that a caller awaits once, before or after it arrives.
final class LateAnswer<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case notAwaited
        case awaited(CheckedContinuation<Value, any Error>)
        case come(Result<Value, any Error>)
    }

    private let state = Guarded(State.notAwaited)

    func come(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            defer { state = .come(result) }
            guard case .awaited(let continuation) = state else { return nil }
            return continuation
        }
        waiting?.resume(with: result)
    }

    func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Value, any Error>? = state.withLock { state in
                if case .come(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
