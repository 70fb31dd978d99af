// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// What a mail is for. The raw values are the contract's types of verification, and of its notices.
public enum MailPurpose: String, Sendable, Hashable, CaseIterable, Codable {
    /// Shows that the address of a new person is theirs.
    case signUp = "signup"
    /// Lets somebody in who has forgotten their password.
    case recovery
    /// Shows that a new address is theirs.
    case emailChange = "email_change"
    /// Shows that it is still the same person who wants another password.
    case reauthentication
    /// Tells the address that was somebody's that it no longer is.
    case emailChanged = "email_changed_notification"
    /// Tells somebody that their account is going to be erased, and that they can still keep it.
    case erasureRequested = "erasure_requested_notification"

    /// Whether a code comes with it. What brings none warns, in case it was not the person who did it.
    public var bringsCode: Bool { self != .emailChanged && self != .erasureRequested }

    /// Seconds after which there is no use in delivering it.
    var life: TimeInterval { bringsCode ? MailWish.life : 86_400 }
}
