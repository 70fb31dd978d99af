// SPDX-License-Identifier: Apache-2.0
package import AsyncHTTPClient
import Farewell
import NIOCore

/// An HTTP client that is made when it is first needed and closed once. It follows no redirects, and gives up
/// connecting quickly.
package final class OwnHTTPClient: Sendable {
    private enum State: Sendable {
        case unused
        case open(HTTPClient)
        case closed
    }

    private let state = Guarded(State.unused)
    private let pins: [String: String]
    private let connectTimeout: Duration

    /// - Parameters:
    ///   - pins: Network addresses by the names of hosts: these hosts are not looked up otherwise. Their
    ///     certificates must be valid for the names all the same.
    ///   - connectTimeout: The longest wait for a connection.
    package init(pins: [String: String] = [:], connectTimeout: Duration = .seconds(5)) {
        self.pins = pins
        self.connectTimeout = connectTimeout
    }

    /// An owner that forgot to close it, or was stopped before, leaves nothing open.
    deinit {
        if case .open(let client) = state.withLock({ $0 }) { client.shutdown { _ in } }
    }

    /// - Throws: `CancellationError` once it has been closed.
    package func client() throws -> HTTPClient {
        try state.withLock { state in
            switch state {
            case .open(let client): return client
            case .closed: throw CancellationError()
            case .unused:
                var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
                configuration.timeout.connect = .nanoseconds(Int64(connectTimeout / .nanoseconds(1)))
                // A refused connection is reported at once; the caller decides when to try again.
                configuration.connectionPool.retryConnectionEstablishment = false
                configuration.dnsOverride = pins
                let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
                state = .open(client)
                return client
            }
        }
    }

    package func close() async throws {
        let client: HTTPClient? = state.withLock { state in
            defer { state = .closed }
            if case .open(let client) = state { return client }
            return nil
        }
        try await client?.shutdown()
    }
}
