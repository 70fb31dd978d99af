// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A parsed error of the Supabase Auth contract (1.2), in either of its forms.
struct FarewellRefusal {
    private let status: Int
    let code: String?
    private let hint: String?

    init(_ answer: HTTPExchange.Answer) {
        status = answer.status
        let json = answer.json
        // A function's refusal is in an envelope of its own.
        let error = json?["error"]
        code =
            json?["code"]?.string ?? json?["error_code"]?.string ?? error?["code"]?.string
            ?? answer.fields["x-sb-error-code"]
        hint = json?["hint"]?.string ?? error?["hint"]?.string
    }

    /// The kind of request: the same answer has another meaning for each.
    enum Question: Sendable, Hashable, CaseIterable {
        case signIn, renewal
        /// Asked with an access token.
        case bearer
        /// Sent with a ticket, which the server accepts even after its session has ended.
        case ticket
        case other
    }

    private static let endings: Set<String> = [
        "session_not_found", "session_expired", "refresh_token_not_found", "refresh_token_already_used", "user_banned",
        "user_not_found",
    ]

    /// Whether the user must first prove their identity; a spent or old proof must be given again.
    var wantsRecentSignIn: Bool {
        guard let code else { return false }
        return ["reauthentication_needed", "erasure.sign-in-stale", "erasure.step-up-invalid"].contains(code)
    }

    /// Only a renewal that the server refuses by name ends a session. Any other odd answer is a temporary failure.
    func failure(at question: Question) -> ProviderFailure {
        if status == 429 || status == 408 || status == 409 || status >= 500 || status < 400 {
            return .unavailable(error("device.unavailable", .tryAgain))
        }
        switch question {
        case .renewal:
            if let code, Self.endings.contains(code) { return .ended(reason(code)) }
            if code == "validation_failed" { return .ended(.refused) }
            return .unavailable(error("device.unavailable", .tryAgain))
        case .bearer:
            if status == 401 || code == "bad_jwt" || code.map(Self.endings.contains) == true {
                return .unauthorised(error("device.unauthorised", .yoursToFix))
            }
            if wantsRecentSignIn { return .recentSignInNeeded }
            return status == 403 ? .forbidden(error("device.forbidden", .yoursToFix)) : .refused(named)
        case .ticket:
            // Only the server says so; a page of something in between is no answer to the ticket.
            let isFinal = status == 400 && ["bad_json", "validation_failed"].contains(code)
            return isFinal ? .refused(named) : .unavailable(error("device.unavailable", .tryAgain))
        case .signIn, .other: return .refused(named)
        }
    }

    /// The server says in a sentence how the session ended.
    private func reason(_ code: String) -> SignOutReason {
        if let ending = SessionEnding.allCases.first(where: { $0.sentence == hint }) { return SignOutReason(ending) }
        return switch code {
        case "refresh_token_already_used": .stolenToken
        case "session_expired": .expired
        case "user_not_found": .accountDeleted
        default: .refused
        }
    }

    private var named: FarewellError { error(.init(rawValue: "server.\(safeCode ?? "unknown")"), .yoursToFix) }

    private func error(_ name: FarewellError.Code, _ family: FarewellError.Family) -> FarewellError {
        FarewellError(name, family, "The server answered \(status)\(safeCode.map { " (\($0))" } ?? "").")
    }

    /// The code, if it is a plain name.
    private var safeCode: String? {
        guard let code, code.count <= 64,
            code.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) })
        else { return nil }
        return code
    }
}
