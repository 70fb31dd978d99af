// SPDX-License-Identifier: Apache-2.0
import Farewell

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Hands requests over to the system, which sends them even after the app's time in the background has ended.
///
/// Meant for the outbox. The app may be gone when the answer comes: the request is then repeated at the next launch,
/// which tickets allow any number of times. Apple's systems follow redirects in the background; the answer of another
/// host counts as no answer.
public final class HandedOverTransport: HTTPTransport {
    private let session: URLSession
    private let answers = HandedOverAnswers()

    /// - Parameter configuration: How the system sends; `background(_:)` on Apple's systems.
    public init(_ configuration: URLSessionConfiguration) {
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        session = .prepared(configuration, for: answers)
    }

    deinit { session.finishTasksAndInvalidate() }

    #if canImport(Darwin)
    /// Sends in the background, under a name that is the app's own.
    public static func background(_ identifier: String) -> HandedOverTransport {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.isDiscretionary = false
        return HandedOverTransport(configuration)
    }
    #endif

    public func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let task = session.downloadTask(with: request.wire)
        let answer = await withCheckedContinuation { waiting in
            answers.wait(for: task.taskIdentifier, waiting)
            task.resume()
        }
        switch answer {
        case .success(let answer): return answer
        case .failure(let failure): throw failure
        }
    }
}

/// The waiting callers of each request, and the answer so far.
private final class HandedOverAnswers: NSObject, URLSessionDownloadDelegate {
    typealias Answer = Result<HTTPExchange.Answer, ProviderFailure>

    private let waiting = Guarded<[Int: CheckedContinuation<Answer, Never>]>([:])
    /// An empty body needs no file.
    private let bodies = Guarded<[Int: Result<Data, ProviderFailure>]>([:])

    func wait(for task: Int, _ one: CheckedContinuation<Answer, Never>) { waiting.withLock { $0[task] = one } }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL) {
        // The file belongs to the system, which deletes it when this returns.
        let body: Result<Data, ProviderFailure>
        do { body = .success(try HandedOverBody.read(file)) } catch { body = .failure(error) }
        bodies.withLock { $0[downloadTask.taskIdentifier] = body }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let body = bodies.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        // An earlier run of the app may have sent the request, so no caller waits.
        let one = waiting.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        one?.resume(returning: Self.answer(task, body ?? .success(Data()), error))
    }

    private static func answer(
        _ task: URLSessionTask, _ body: Result<Data, ProviderFailure>, _ error: (any Error)?
    ) -> Answer {
        if let error { return .failure(.unreached(error)) }
        // The system has followed a redirect: the answer is another place's.
        guard task.response?.url?.absoluteURL == task.originalRequest?.url?.absoluteURL else {
            return .failure(.unavailable(.oddAnswer))
        }
        return body.flatMap { body in
            do {
                return .success(try HTTPExchange.Answer(task.response, body))
            } catch {
                return .failure(.unreached(error))
            }
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
