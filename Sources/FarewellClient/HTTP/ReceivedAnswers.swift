// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The answers to the requests of one session, each with its whole body or without the pieces that were handed over.
/// Follows no redirect.
final class ReceivedAnswers: NSObject, URLSessionDataDelegate {
    typealias Answer = Result<HTTPExchange.Answer, ProviderFailure>

    private struct Exchange: Sendable {
        var waiting: CheckedContinuation<Answer, Never>?
        /// How it ended before a caller waited: a task may be cancelled before it begins.
        var ended: Answer?
        var body = Data()
        /// Why no more of the answer is wanted.
        var failure: ProviderFailure?

        mutating func append(_ data: Data) {
            if body.count + data.count > ReceivedAnswers.most { failure = .unavailable(.oddAnswer) }
            if failure == nil { body.append(data) } else { body = Data() }
        }
    }

    private let exchanges = Guarded<[Int: Exchange]>([:])
    private let piece: (@Sendable (Data) throws -> Void)?
    /// No answer of an interface has more bytes, so that none can fill the memory.
    static let most = 4 << 20

    /// - Parameter piece: Takes the body of a successful answer (2xx) piece by piece.
    init(_ piece: (@Sendable (Data) throws -> Void)? = nil) { self.piece = piece }

    /// Starts a request of the session, and waits for its answer.
    func answer(to task: URLSessionTask) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                wait(for: task.taskIdentifier, waiting)
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

    private func wait(for task: Int, _ waiting: CheckedContinuation<Answer, Never>) {
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
        let number = dataTask.taskIdentifier
        guard exchanges.withLock({ $0[number]?.failure }) == nil else { return }
        if let piece, let status = (dataTask.response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) {
            do { try piece(data) } catch {
                exchanges.withLock { $0[number, default: Exchange()].failure = .refused(.of(error)) }
            }
        } else {
            exchanges.withLock { $0[number, default: Exchange()].append(data) }
        }
        if exchanges.withLock({ $0[number]?.failure }) != nil { dataTask.cancel() }
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
        if let failure = exchange.failure { return .failure(failure) }
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
