// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uses the network. Keeps no cookies, no cache and no credentials, and follows no redirects, so that a token reaches
/// only its intended server. An answer has at most 4 MiB, beside pieces that were handed over.
public final class LiveHTTPTransport: HTTPTransport {
    private let timeout: Double
    /// Made when first needed: a launch that only restores a session waits for no network.
    private let session = Guarded<(URLSession, ReceivedAnswers)?>(nil)

    /// - Parameter timeout: Seconds of silence after which an answer is given up; an answer of `send` also when it is
    ///   not complete after four times as long.
    public init(timeout: Double = 15) { self.timeout = timeout }

    deinit { session.withLock { $0 }?.0.invalidateAndCancel() }

    private func opened() -> (URLSession, ReceivedAnswers) {
        session.withLock { session in
            if let session { return session }
            let answers = ReceivedAnswers()
            let fresh = (URLSession.prepared(configuration, for: answers), answers)
            session = fresh
            return fresh
        }
    }

    private var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.timeoutIntervalForRequest = timeout
        return configuration
    }

    public func receive(
        _ request: HTTPExchange.Request, _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        // Pieces go to the delegate of a session.
        let answers = ReceivedAnswers(piece)
        let session = URLSession.prepared(configuration, for: answers)
        defer { session.finishTasksAndInvalidate() }
        return try await answers.answer(to: session.dataTask(with: request.wire))
    }

    public func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let (session, answers) = opened()
        let task = session.dataTask(with: request.wire)
        // An answer that arrives byte by byte is never silent.
        let longest = Self.mostSilences * timeout
        let limit = Task {
            try await Task.sleep(for: .seconds(longest))
            task.cancel()
        }
        defer { limit.cancel() }
        return try await answers.answer(to: task)
    }

    private static let mostSilences = 4.0
}
