// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Talks over the network. Keeps no cookies, no cache and no credentials, and follows no redirects, so that a token
/// goes where it was sent and nowhere else.
public final class LiveHTTPTransport: HTTPTransport {
    private let session: URLSession

    /// - Parameter timeout: Seconds of silence after which an answer is given up.
    public init(timeout: Double = 15) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    public func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        do {
            let (data, response) = try await session.data(for: request.wire)
            return try HTTPExchange.Answer(response, data)
        } catch {
            throw .unreached(error)
        }
    }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
