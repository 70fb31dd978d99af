// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Sends one request and gets one answer. The only door of the client to the network.
public protocol HTTPTransport: Sendable {
    /// - Throws: `ProviderFailure.unavailable` when there is no answer, for whatever reason.
    func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer
}
