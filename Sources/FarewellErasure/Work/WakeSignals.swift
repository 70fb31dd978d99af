// SPDX-License-Identifier: Apache-2.0

public import FarewellKeys

/// The signals of one process that takes requests, works, or both.
public struct WakeSignals: Sendable {
    /// There is something to do.
    public let work = WakeSignal()
    /// Erasures have ended.
    public let ends = WakeSignal()
    /// A worker of this process has made progress.
    public let progress = WakeSignal()

    public init() {}
}
