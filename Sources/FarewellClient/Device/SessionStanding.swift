// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Whether somebody is signed in on this device.
public enum SessionStanding: Sendable, Equatable {
    case signedIn(DeviceSession)
    /// Nobody; with the reason where somebody was.
    case signedOut(SignOutReason?)
    /// It cannot be told now, because the place of the tokens is locked or failing. Nobody is to be signed out for it.
    case unknown(FarewellError)

    public var session: DeviceSession? { if case .signedIn(let session) = self { session } else { nil } }
}
