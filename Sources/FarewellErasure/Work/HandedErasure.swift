// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// An erasure that a request has handed to the workers of its process. Its caller hears of the end from the worker
/// directly.
package final class HandedErasure: Sendable {
    /// As it was accepted: claimed by this process, and its subject's fence stands. What is sealed of the subject is
    /// here as well, so that no worker must open it.
    let erasure: OpenedErasure
    private let promise: ErasurePromise?

    private struct State: Sendable {
        var isOver = false
        var isAccountRemoved = false
        var recorded: ErasureStatus?
    }

    private let state = Guarded(State())
    private let ends: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameter promise: What the acceptance promised with it.
    init(_ erasure: OpenedErasure, _ promise: ErasurePromise?) {
        self.erasure = erasure
        self.promise = promise
        (ends, continuation) = AsyncStream.makeStream()
    }

    /// Whether the erasure is done, and the worker has made sure that nothing of the subject's account is left.
    package var isAccountRemoved: Bool { state.withLock { $0.isAccountRemoved } }

    /// Whether one transaction has erased the account, recorded the end and removed the fence.
    var isRecorded: Bool { state.withLock { $0.recorded != nil } }

    /// The erasure as that transaction has recorded it, when the worker has done what it can; `nil` if it must be read.
    var recorded: RequestedErasure? {
        let state = state.withLock { $0 }
        guard state.isOver, let status = state.recorded else { return nil }
        return RequestedErasure(status: status)
    }

    /// One transaction has erased the account, and was committed.
    func record(_ ending: ErasureCompletion.Ending) {
        let record = ending.record(at: ending.receipt.finishedAt)
        let status = ErasureStatus(record, steps: ending.steps, promise)
        state.withLock { $0.recorded = status }
    }

    /// The worker has done what it can: usually the erasure is done, but another worker may have to continue.
    func end(accountRemoved: Bool = false) {
        state.withLock { state in
            state.isOver = true
            if accountRemoved { state.isAccountRemoved = true }
        }
        continuation.finish()
    }

    /// Returns when the worker has done what it can, or the task is cancelled. For one caller.
    func ended() async { for await _ in ends {} }
}

extension ErasureCompletion.Ending {
    /// The steps as a single transaction records their end.
    fileprivate var steps: [StepRecord] {
        counts.map { name, counts in
            StepRecord(
                name: name, state: .done, attempts: 1, startedAt: erasure.record.requestedAt,
                finishedAt: receipt.finishedAt, counts: counts)
        }
    }
}
