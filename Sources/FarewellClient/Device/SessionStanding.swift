// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Whether a user is signed in on this device.
public enum SessionStanding: Sendable, Equatable {
    case signedIn(DeviceSession)
    /// Nobody; with the reason where somebody was.
    case signedOut(SignOutReason?)
    /// It cannot be told now, because the place of the tokens is locked or failing. Nobody is to be signed out for it;
    /// `help` says what the app shows meanwhile.
    case unknown(FarewellError)

    public var session: DeviceSession? { if case .signedIn(let session) = self { session } else { nil } }

    /// What helps where it is unknown who is signed in.
    public enum Help: Sendable, Hashable, CaseIterable {
        /// It passes by itself and is tried again: show neither the user's data nor the sign-in.
        case wait
        /// The record is of no use to this app any more: show the sign-in, which replaces it.
        case signIn
        /// The app is not set up or signed for its store: show the error's message. No user can mend it.
        case correctApp
    }

    /// `nil` where it is known whether a user is signed in.
    public var help: Help? {
        guard case .unknown(let error) = self else { return nil }
        if error.code == "device.not-launched" || error.family == .tryAgain { return .wait }
        let isUseless = error.code == FarewellError.recordForeign.code || error.code == FarewellError.recordLost.code
        if isUseless { return .signIn }
        return error.family == .ours ? .signIn : .correctApp
    }
}
