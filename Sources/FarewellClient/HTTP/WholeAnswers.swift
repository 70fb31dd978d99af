// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The answers to the requests of one session, each with its whole body. Follows no redirect.
final class WholeAnswers: NSObject, URLSessionDataDelegate {
    typealias Answer = Result<HTTPExchange.Answer, ProviderFailure>

    private struct Exchange: Sendable {
        var waiting: CheckedContinuation<Answer, Never>?
        /// How it ended before a caller waited: a task may be cancelled before it begins.
        var ended: Answer?
        var body = Data()
        var isTooLarge = false

        /// - Returns: Whether the body has too many bytes.
        mutating func append(_ data: Data) -> Bool {
            isTooLarge = isTooLarge || body.count + data.count > WholeAnswers.most
            if isTooLarge { body = Data() } else { body.append(data) }
            return isTooLarge
        }
    }

    private let exchanges = Guarded<[Int: Exchange]>([:])
    /// No answer of an interface has more bytes, so that none can fill the memory.
    static let most = 4 << 20

    func wait(for task: Int, _ waiting: CheckedContinuation<Answer, Never>) {
        let ended = exchanges.withLock { exchanges -> Answer? in
            if let ended = exchanges[task]?.ended {
                exchanges[task] = nil
                return ended
            }
            exchanges[task, default: Exchange()].waiting = waiting
            return nil
        }
        if let ended { waiting.resume(returning: ended) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = exchanges.withLock { exchanges in
            exchanges[dataTask.taskIdentifier, default: Exchange()].append(data)
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let waiting = exchanges.withLock { exchanges -> (CheckedContinuation<Answer, Never>, Answer)? in
            let exchange = exchanges[task.taskIdentifier] ?? Exchange()
            let answer = Self.answer(task, exchange, error)
            guard let waiting = exchange.waiting else {
                exchanges[task.taskIdentifier] = Exchange(ended: answer)
                return nil
            }
            exchanges[task.taskIdentifier] = nil
            return (waiting, answer)
        }
        if let (waiting, answer) = waiting { waiting.resume(returning: answer) }
    }

    private static func answer(_ task: URLSessionTask, _ exchange: Exchange, _ error: (any Error)?) -> Answer {
        if exchange.isTooLarge { return .failure(.unavailable(.oddAnswer)) }
        if let error { return .failure(.unreached(error)) }
        do {
            return .success(try HTTPExchange.Answer(task.response, exchange.body))
        } catch {
            return .failure(.unreached(error))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
