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

/// What happens to the session of a device.
public enum SessionEvent: Sendable, Equatable {
    /// How things stand: always the first that a subscriber gets, however late they come.
    case initial(SessionStanding)
    case signedIn(DeviceSession)
    case signedOut(SignOutReason)
    case tokenRefreshed(DeviceSession)
    case userUpdated(DeviceUser)
    /// The account was deleted from this device, and the device is clean: show Welcome.
    case userDeleted
}
