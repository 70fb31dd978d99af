// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

/// An erasure with its steps, as an operator asks for it.
public struct ErasureStatus: Sendable, Hashable {
    public var erasure: ErasureRecord
    public var steps: [StepRecord]
    /// Rows and files done so far in a running long step.
    public var done: Int?
    /// The end of the time in which the user can cancel it; `nil` if it cannot be cancelled.
    public var graceUntil: Date?
    /// When it must be over; `nil` if no service accepted it.
    public var dueAt: Date?
    /// Why an operator holds it; `nil` when none does.
    public var holdReason: String?
    /// Its retained rows whose last day is over, and that could not be erased or emptied.
    package var failingRetentions: [RetentionFailure] = []
    /// The pause after the last failed attempt, if the erasure has begun; `nil` if none failed.
    package var pause: ErasurePause?

    /// The reason for waiting until a day, if a system can do no more before then. A parked erasure waits for an
    /// operator instead.
    public var rest: String? {
        erasure.state == .needsAttention ? nil : steps.lazy.compactMap { $0.progress?.rest }.first
    }

    /// Whether it needs no process now: its turn has not come, its grace period has not ended, an operator holds it, or
    /// a system has done all it can until a day.
    package var isWaiting: Bool {
        [.requested, .grace].contains(erasure.state) || holdReason != nil || rest != nil
    }

    /// The pause after a failed attempt, while it lasts and the erasure waits for nothing else.
    package func currentPause(at now: Date) -> ErasurePause? {
        guard !isWaiting, let pause, pause.end > now else { return nil }
        return pause
    }

    /// Whether it waits for a third-party system.
    public var waitsForSystem: Bool { steps.contains { $0.place.isSystem && !$0.isOver } }
}

extension ErasureStatus {
    /// An erasure with the rows and files that its running step has done, and with the promise of the service that
    /// accepted it.
    init(_ erasure: ErasureRecord, steps: [StepRecord], _ promise: ErasurePromise?) {
        self.init(
            erasure: erasure, steps: steps,
            done: steps.compactMap(\.progress).last.map { $0.counts.values.reduce(0, +) },
            graceUntil: promise?.graceUntil, dueAt: promise?.dueAt, holdReason: promise?.holdReason)
        guard [.fenced, .running, .verifying].contains(erasure.state), erasure.owner == nil, let promise else { return }
        if promise.failures > 0, let end = promise.readyAt {
            pause = ErasurePause(failures: promise.failures, end: end)
        }
    }
}
