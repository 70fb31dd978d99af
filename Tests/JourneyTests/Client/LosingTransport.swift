// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import Foundation

/// A network that carries every request to the server and loses the configured answers.
struct LosingTransport: HTTPTransport {
    let loses: Guarded<@Sendable (HTTPExchange.Request) -> Bool>
    private let network = LiveHTTPTransport(timeout: 120)

    init(_ loses: @escaping @Sendable (HTTPExchange.Request) -> Bool) { self.loses = Guarded(loses) }

    func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let answer = try await network.send(request)
        guard !loses.withLock({ $0(request) }) else {
            throw .unavailable(FarewellError("device.offline", .tryAgain, "The answer was lost."))
        }
        return answer
    }
}
