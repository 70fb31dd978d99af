// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Whether a user is signed in on this device.
public enum SessionStanding: Sendable, Equatable {
    case signedIn(DeviceSession)
    /// No user; with the reason if a user was signed in before.
    case signedOut(SignOutReason?)
    /// Unknown now, because the token store is locked or failing. No user may be signed out for it; `help` says what
    /// the app shows meanwhile.
    case unknown(FarewellError)

    public var session: DeviceSession? { if case .signedIn(let session) = self { session } else { nil } }

    /// The remedies while it is unknown which user is signed in.
    public enum Help: Sendable, Hashable, CaseIterable {
        /// The condition is temporary and is tried again: show neither the user's data nor the sign-in.
        case wait
        /// The record is of no use to this app any more: show the sign-in, which replaces it.
        case signIn
        /// The app is not set up or signed for its store: show the error's message. No user can correct it.
        case correctApp
    }

    /// `nil` if it is known whether a user is signed in.
    public var help: Help? {
        guard case .unknown(let error) = self else { return nil }
        if error.code == "device.not-launched" || error.family == .tryAgain { return .wait }
        let isUseless = error.code == FarewellError.recordForeign.code || error.code == FarewellError.recordLost.code
        if isUseless { return .signIn }
        return error.family == .ours ? .signIn : .correctApp
    }
}
