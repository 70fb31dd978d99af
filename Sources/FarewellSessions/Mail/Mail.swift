// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

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

/// A mail with a one-time code, or with a warning, for a sender to write and deliver. Shows nothing of itself.
public struct Mail: Sendable, CustomStringConvertible, CustomReflectable {
    /// The same for each attempt at delivering it.
    public let id: UUID
    public let purpose: MailPurpose
    /// Where it goes.
    public let address: String
    /// Six digits, good for ten minutes and one use, where they were asked for. Empty where the purpose brings
    /// none, and where so many mails with digits went out that only the link is good.
    public let code: String
    /// The proof for a link, good anywhere for ten minutes and one use: 256 random bits, the contract's `token_hash`.
    /// Empty where the purpose brings no code.
    public let token: String
    /// Whom it is about.
    public let user: User

    public init(id: UUID, purpose: MailPurpose, address: String, code: String, token: String, user: User) {
        self.id = id
        self.purpose = purpose
        self.address = address
        self.code = code
        self.token = token
        self.user = user
    }

    public var description: String { "Mail(***)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Delivers mails. Called in the background, never while somebody waits for an answer.
public protocol MailSending: Sendable {
    /// Hands a mail over for good.
    ///
    /// - Throws: Anything; the mail is then tried again, ever more patiently, until its code has expired. So the same
    ///   mail, with the same `id`, may be handed over more than once.
    func send(_ mail: Mail) async throws
}
