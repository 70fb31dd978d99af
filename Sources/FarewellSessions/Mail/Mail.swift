// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// A mail with a one-time code, or with a warning, for a sender to write and deliver. Its description is redacted.
public struct Mail: Sendable, CustomStringConvertible, CustomReflectable {
    /// The same for each attempt at delivering it.
    public let id: UUID
    public let purpose: MailPurpose
    /// The recipient.
    public let address: String
    /// Six digits, valid for ten minutes and one use, at the requesting source. Empty if the purpose has none, or if so
    /// many mails with digits were sent that only the link is valid.
    public let code: String
    /// The proof for a link, good anywhere for ten minutes and one use: 256 random bits, the contract's `token_hash`.
    /// Empty if the purpose has no code.
    public let token: String
    /// The user whom the mail concerns.
    public let user: User
    /// The address of the app to which the link leads, if the app requested one and the settings allow it.
    public let redirect: String?

    public init(
        id: UUID, purpose: MailPurpose, address: String, code: String, token: String, user: User,
        redirect: String? = nil
    ) {
        self.id = id
        self.purpose = purpose
        self.address = address
        self.code = code
        self.token = token
        self.user = user
        self.redirect = redirect
    }

    public var description: String { "Mail(***)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
