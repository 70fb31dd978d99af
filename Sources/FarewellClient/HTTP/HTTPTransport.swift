// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Sends one request and gets one answer. The only door of the client to the network.
public protocol HTTPTransport: Sendable {
    /// - Throws: `ProviderFailure.unavailable` when there is no answer, for whatever reason.
    func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer

    /// Sends a request whose answer may be too large for the memory.
    ///
    /// - Parameter piece: Takes the body of a successful answer (2xx) piece by piece, in order. When it throws, the
    ///   transfer ends.
    /// - Returns: The answer without the body that `piece` took.
    /// - Throws: `unavailable` when there is no complete answer; `refused` with the error of `piece`.
    func receive(
        _ request: HTTPExchange.Request, _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure) -> HTTPExchange.Answer
}

extension HTTPTransport {
    /// By `send`, for transports that have every body in memory.
    public func receive(
        _ request: HTTPExchange.Request, _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let answer = try await send(request)
        guard answer.isSuccess else { return answer }
        do {
            try piece(answer.body)
        } catch {
            throw .refused(.of(error))
        }
        return HTTPExchange.Answer(status: answer.status, fields: answer.fields)
    }
}
