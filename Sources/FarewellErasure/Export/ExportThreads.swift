// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// Runs a task on threads of its own: an export waits for the disk, and Swift's few threads answer calls meanwhile.
@available(macOS 15, iOS 18, *)
final class ExportThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BlockingWork.start { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Begins work on these threads where the system can.
    static func begin(_ work: @escaping @Sendable @concurrent () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: ExportThreads()) { await work() }
    }
}
