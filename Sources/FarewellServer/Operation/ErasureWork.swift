// SPDX-License-Identifier: Apache-2.0

public import FarewellErasure
public import ServiceLifecycle

/// Workers as a service: asked to shut down they claim nothing more, end what they have, and stop; cancelled they hand
/// it back.
public struct ErasureWork: Service, CustomStringConvertible {
    private let workers: ErasureWorkers
    private let signals: WakeSignals

    /// - Parameter signals: The requests's, so that those who wait in this process are told of progress.
    public init(_ workers: ErasureWorkers, signals: WakeSignals) {
        self.workers = workers
        self.signals = signals
    }

    /// Shows nothing of the workers, for a log tells the name of each service.
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
