// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The reason why a backend did not carry out a request. Only a known refusal counts as a refusal.
public enum ProviderFailure: Error, Sendable, Hashable {
    /// Not reached, or not able to answer now: no network, a time-out, 429, 5xx. Says nothing about the session.
    case unavailable(FarewellError)
    /// The access token is not accepted (401, or a session error): renew it, and repeat the call.
    case unauthorised(FarewellError)
    /// The session is over, for a reason.
    case ended(SignOutReason)
    /// 403: not allowed, whatever the token.
    case forbidden(FarewellError)
    /// The sign-in is too old for this: the user must prove their identity again.
    case recentSignInNeeded
    /// Any other refusal, with the backend's text.
    case refused(FarewellError)

    /// As an error that is safe to log and to show.
    public var error: FarewellError {
        switch self {
        case .unavailable(let error), .unauthorised(let error), .forbidden(let error), .refused(let error): error
        case .ended(let reason):
            FarewellError(
                "device.signed-out", .yoursToFix, "The session has ended (\(reason.rawValue)).",
                remedy: "Sign in again.")
        case .recentSignInNeeded:
            FarewellError(
                "device.recent-sign-in-needed", .yoursToFix, "The last sign-in is too long ago for this.",
                remedy: "Ask the user to sign in again, then repeat.")
        }
    }
}
