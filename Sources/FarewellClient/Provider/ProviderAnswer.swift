// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// A backend's answer, and its time by the backend's own clock.
public struct ProviderAnswer<Value: Sendable>: Sendable {
    public let value: Value
    public let serverTime: Date?

    public init(_ value: Value, serverTime: Date? = nil) {
        self.value = value
        self.serverTime = serverTime
    }
}
