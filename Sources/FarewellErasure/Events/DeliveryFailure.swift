// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why an event was not taken.
public struct DeliveryFailure: Error, Sendable, Hashable {
    /// In a few words, without anything that was sent or answered.
    public var reason: String
    /// Whether another try can help.
    public var isFinal: Bool
    /// The receiver's requested pause, in seconds.
    public var retryAfter: Double?

    public init(_ reason: String, isFinal: Bool = false, retryAfter: Double? = nil) {
        self.reason = reason
        self.isFinal = isFinal
        self.retryAfter = retryAfter
    }
}
