// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Runs jobs one after the other, in the order in which they became ready, on the thread that asks it to.
final class TurnExecutor: TaskExecutor {
    private let ready = Mutex<[UnownedJob]>([])
    private let count = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        ready.withLock { $0.append(job) }
        count.signal()
    }

    /// Runs jobs until none is ready, and waits for more as long as `isAwaited` says that some will come from outside.
    ///
    /// - Returns: false when what was awaited did not come in ten minutes.
    func settle(while isAwaited: () -> Bool) -> Bool {
        while true {
            let isReady =
                count.wait(timeout: .now()) == .success
                || (isAwaited() && count.wait(timeout: .now() + 600) == .success)
            guard isReady else { return !isAwaited() }
            let job = ready.withLock { $0.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
