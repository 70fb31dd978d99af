// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// An address of the app's own backend that deletes the caller's account: `DELETE /me/account`,
/// `POST /functions/v1/delete-account`, or one like them. Its answers are JSON, plain text or empty: a success with
/// another body, such as a page, or with an `error` does not count as a deletion.
public struct DeletionEndpoint: Sendable {
    public let url: URL
    public let method: String
    public let fields: [String: String]

    /// - Parameter fields: The fields that it requires beside the user's token, such as `apikey`.
    public init(_ method: String, _ url: URL, fields: [String: String] = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
    }

    /// Sends the request with the user's token, under the intent's key.
    ///
    /// - Parameter more: Fields of the provider; those of the endpoint come before them.
    func request(
        _ session: DeviceSession, _ intent: DeletionIntent, fields more: [String: String] = [:],
        over transport: any HTTPTransport
    ) async throws(ProviderFailure) -> DeletionAnswer {
        var all = more.merging(fields) { _, own in own }
        all["Idempotency-Key"] = intent.key
        all["X-Farewell-Step-Up"] = intent.proof?.reveal { $0 }
        let answer = try await transport.ask(
            try .json(method, url, fields: all).bearing(session.accessToken), takesText: true)
        let json = answer.json
        let success = json?["success"]?.boolean ?? json?["data"]?["success"]?.boolean
        let isSuccess = success != false && Self.noErrors.contains(json?["error"] ?? .null)
        switch answer.status {
        case 202 where isSuccess: return .underway(Self.progress(json?["data"] ?? json))
        case 200..<300 where isSuccess: return .done(DeletionProgress(state: "done"))
        case 400..<500 where FarewellRefusal(answer).wantsRecentSignIn: throw .recentSignInNeeded
        case 401: throw .unauthorised(error(answer, .yoursToFix))
        case 403: throw .forbidden(error(answer, .yoursToFix))
        case 500 where success == false:
            // It has answered, system by system: a repeated request deletes the remaining data.
            throw .refused(error(answer, .tryAgain))
        case 400..<500 where answer.status != 408 && answer.status != 429:
            throw .refused(error(answer, .yoursToFix))
        default: throw .unavailable(error(answer, .tryAgain))
        }
    }

    /// The values that backends write where there is no error.
    private static let noErrors: Set<JSONValue> = [.null, false, "", 0, .array([]), [:]]

    /// The deletion is pending: in grace, or on hold, it may take days.
    private static func progress(_ told: JSONValue?) -> DeletionProgress {
        DeletionProgress(
            state: told?["state"]?.string ?? "accepted",
            graceUntil: told?["grace_until"]?.string.flatMap(RFC3339.date))
    }

    /// The characters that the name of a system may contain beside letters and digits.
    private static let marks = Set("_-.".utf8)

    private func error(_ answer: HTTPExchange.Answer, _ family: FarewellError.Family) -> FarewellError {
        let failed = (answer.json?["details"]?.object ?? [:]).filter { $0.value == false }.keys.sorted()
            .filter { $0.utf8.allSatisfy { $0.isASCIILetterOrDigit || Self.marks.contains($0) } }
        let which = failed.isEmpty ? "" : ": \(failed.joined(separator: ", ")) not yet"
        let said = "The server answered \(answer.status)\(which)."
        return FarewellError(.init(rawValue: "device.deletion-\(answer.status)"), family, said)
    }
}
