// SPDX-License-Identifier: Apache-2.0
import Farewell

/// An event in the session of a device.
public enum SessionEvent: Sendable, Equatable {
    /// The state: always the first element of a subscriber, however late, and again when it becomes known, or unknown
    /// for another reason, without a user signing in or out.
    case initial(SessionStanding)
    case signedIn(DeviceSession)
    case signedOut(SignOutReason)
    case tokenRefreshed(DeviceSession)
    case userUpdated(DeviceUser)
    /// The account was deleted from this device, and the device is clean: show Welcome.
    case userDeleted
}
