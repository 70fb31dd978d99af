// SPDX-License-Identifier: Apache-2.0

import Farewell

/// An erasure that a request has handed to the workers of its process. Its caller hears of the end from the worker
/// directly.
package final class HandedErasure: Sendable {
    /// As it was accepted: claimed by this process, and its subject's fence stands. What is sealed of the subject is
    /// here as well, so that no worker must open it.
    let erasure: OpenedErasure
    private let isRemoved = Guarded(false)
    private let ends: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ erasure: OpenedErasure) {
        self.erasure = erasure
        (ends, continuation) = AsyncStream.makeStream()
    }

    /// Whether the erasure is done, and the worker has made sure that nothing of the subject's account is left.
    package var isAccountRemoved: Bool { isRemoved.withLock { $0 } }

    /// The worker has done what it can: usually the erasure is done, but another worker may have to continue.
    func end(accountRemoved: Bool = false) {
        if accountRemoved { isRemoved.withLock { $0 = true } }
        continuation.finish()
    }

    /// Returns when the worker has done what it can, or the task is cancelled. For one caller.
    func ended() async { for await _ in ends {} }
}
