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

    func wait(_ waiting: CheckedContinuation<Answer, Never>) { state.withLock { $0.waiting = waiting } }

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
        let ended = state.withLock { state in
            defer { state.waiting = nil }
            return state
        }
        if let failure = ended.failure {
            ended.waiting?.resume(returning: .failure(.refused(failure)))
        } else if let error {
            ended.waiting?.resume(returning: .failure(.unreached(error)))
        } else if let answer = try? HTTPExchange.Answer(task.response, ended.refusal) {
            ended.waiting?.resume(returning: .success(answer))
        } else {
            ended.waiting?.resume(returning: .failure(.unreached(URLError(.badServerResponse))))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
