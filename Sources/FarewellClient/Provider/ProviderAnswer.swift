// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// What a backend answered, and when, by its own clock.
public struct ProviderAnswer<Value: Sendable>: Sendable {
    public let value: Value
    public let serverTime: Date?

    public init(_ value: Value, serverTime: Date? = nil) {
        self.value = value
        self.serverTime = serverTime
    }
}
