// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hands over the body of one answer piece by piece. Follows no redirect.
final class ReceivedPieces: NSObject, URLSessionDataDelegate {
    typealias Answer = Result<HTTPExchange.Answer, ProviderFailure>

    private struct State: Sendable {
        var waiting: CheckedContinuation<Answer, Never>?
        /// How it ended before a caller waited: a task may be cancelled before it begins.
        var ended: Answer?
        /// The body of an answer that is no success.
        var refusal = Data()
        /// Why no further piece is wanted.
        var failure: FarewellError?
    }

    private let state = Guarded(State())
    private let piece: @Sendable (Data) throws -> Void
    /// No refusal is longer.
    private static let most = 1 << 16

    init(_ piece: @escaping @Sendable (Data) throws -> Void) { self.piece = piece }

    func wait(_ waiting: CheckedContinuation<Answer, Never>) {
        let ended = state.withLock { state in
            if state.ended == nil { state.waiting = waiting }
            return state.ended
        }
        if let ended { waiting.resume(returning: ended) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard state.withLock({ $0.failure }) == nil else { return }
        let status = (dataTask.response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            return state.withLock { $0.refusal.append(data.prefix(Self.most - $0.refusal.count)) }
        }
        do {
            try piece(data)
        } catch {
            state.withLock { $0.failure = .of(error) }
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (failure, refusal) = state.withLock { ($0.failure, $0.refusal) }
        let answer: Answer =
            if let failure {
                .failure(.refused(failure))
            } else if let error {
                .failure(.unreached(error))
            } else if let received = try? HTTPExchange.Answer(task.response, refusal) {
                .success(received)
            } else {
                .failure(.unreached(URLError(.badServerResponse)))
            }
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.ended = answer
            return state.waiting
        }
        waiting?.resume(returning: answer)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
