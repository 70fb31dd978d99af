// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uses the network. Keeps no cookies, no cache and no credentials, and follows no redirects, so that a token reaches
/// only its intended server.
public final class LiveHTTPTransport: HTTPTransport {
    private let timeout: Double
    /// Made when first needed: a launch that only restores a session waits for no network.
    private let session = Guarded<URLSession?>(nil)

    /// - Parameter timeout: Seconds of silence after which an answer is given up.
    public init(timeout: Double = 15) { self.timeout = timeout }

    deinit { session.withLock { $0 }?.invalidateAndCancel() }

    private func opened() -> URLSession {
        session.withLock { session in
            if let session { return session }
            let fresh = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
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
        let pieces = ReceivedPieces(piece)
        let session = URLSession(configuration: configuration, delegate: pieces, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request.wire)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                pieces.wait(waiting)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let failure): throw failure
        }
    }

    public func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        do {
            let (data, response) = try await opened().data(for: request.wire)
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
