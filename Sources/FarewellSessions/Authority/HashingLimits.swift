// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// How much hashing goes on at once. More than that is refused rather than queued without end.
public struct HashingLimits: Sendable, Hashable {
    /// `nil` is one for each processor.
    public var concurrent: Int?
    public var waiting: Int
    /// Whoever has waited longer is refused when their turn comes, rather than served when nobody waits any more.
    public var longestWait: Duration

    public init(concurrent: Int? = nil, waiting: Int = 64, longestWait: Duration = .seconds(5)) {
        self.concurrent = concurrent
        self.waiting = waiting
        self.longestWait = longestWait
    }
}
