// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The signals of one process that takes requests, works, or both.
public struct WakeSignals: Sendable {
    /// There is something to do.
    public let work = WakeSignal()
    /// Something has changed for those who wait for it.
    public let ends = WakeSignal()
    /// A worker of this process has got further with something.
    public let progress = WakeSignal()

    public init() {}
}
