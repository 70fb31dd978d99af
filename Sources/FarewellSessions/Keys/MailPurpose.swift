// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The purpose of a mail. The raw values are the contract's types of verification and of notices.
public enum MailPurpose: String, Sendable, Hashable, CaseIterable, Codable {
    /// Proves that the address of a new user is theirs.
    case signUp = "signup"
    /// Signs in a user who has forgotten their password.
    case recovery
    /// Shows that a new address is theirs.
    case emailChange = "email_change"
    /// Shows that it is still the same user who wants another password.
    case reauthentication
    /// Informs the former address that the account no longer has it.
    case emailChanged = "email_changed_notification"
    /// Informs a user that their account is going to be erased, and that they can still keep it.
    case erasureRequested = "erasure_requested_notification"

    /// Whether the mail carries a code. A mail without one warns, in case another person made the request.
    public var bringsCode: Bool { self != .emailChanged && self != .erasureRequested }
}
