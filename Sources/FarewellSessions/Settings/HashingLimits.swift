// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The limits of concurrent hashing. Further work is refused rather than queued without end.
public struct HashingLimits: Sendable, Hashable {
    /// `nil` is one for each processor.
    public var concurrent: Int?
    public var waiting: Int
    /// A caller that has waited longer is refused at its turn, because it may have stopped waiting.
    public var longestWait: Duration

    public init(concurrent: Int? = nil, waiting: Int = 64, longestWait: Duration = .seconds(5)) {
        self.concurrent = concurrent
        self.waiting = waiting
        self.longestWait = longestWait
    }
}
