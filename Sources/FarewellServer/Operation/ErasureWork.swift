// SPDX-License-Identifier: Apache-2.0

public import FarewellErasure
import FarewellKeys
public import ServiceLifecycle

/// Workers as a service: after a shutdown request they claim nothing more, complete their work, and stop; after a
/// cancellation they hand it back.
public struct ErasureWork: Service, CustomStringConvertible {
    private let workers: ErasureWorkers
    private let signals: WakeSignals

    /// - Parameter signals: The signals of the requests, so that waiting calls in this process see progress.
    public init(_ workers: ErasureWorkers, signals: WakeSignals) {
        self.workers = workers
        self.signals = signals
    }

    /// Shows nothing of the workers, because a log names each service.
    public var description: String { "ErasureWork" }

    /// Works until a graceful shutdown begins, or until the task is cancelled.
    public func run() async throws {
        let signals = signals
        await withGracefulShutdownHandler {
            await workers.run { _ in signals.progress.wake() }
        } onGracefulShutdown: {
            workers.stop()
        }
    }
}
