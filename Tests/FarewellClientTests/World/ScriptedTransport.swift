// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// Returns scripted answers, and records the requests.
final class ScriptedTransport: HTTPTransport {
    private let answers: Guarded<[HTTPExchange.Answer]>
    let asked = Guarded<[HTTPExchange.Request]>([])

    init(_ answers: [(Int, String)], fields: [String: String] = [:]) {
        self.answers = Guarded(
            answers.map { status, body in
                HTTPExchange.Answer(
                    status: status, fields: fields.merging(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) { given, _ in given },
                    body: Data(body.utf8))
            })
    }

    func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        asked.withLock { $0.append(request) }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let answer else {
            throw .unavailable(FarewellError("device.offline", .tryAgain, "Nothing is left to answer."))
        }
        return answer
    }

    var last: HTTPExchange.Request? { asked.withLock { $0.last } }
    var lastBody: JSONValue? { last?.body.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) } }
}

/// The failure of `work`; nil when it succeeds.
func failure<Value>(_ work: () async throws(ProviderFailure) -> Value) async -> ProviderFailure? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}

extension ProviderFailure {
    /// Its kind, and for an end the reason.
    var kind: String {
        switch self {
        case .unavailable: "unavailable"
        case .unauthorised: "unauthorised"
        case .ended(let reason): "ended \(reason.rawValue)"
        case .forbidden: "forbidden"
        case .recentSignInNeeded: "recent sign-in"
        case .refused: "refused"
        }
    }
}
