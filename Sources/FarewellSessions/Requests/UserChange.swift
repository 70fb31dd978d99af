// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// A user's changes to their account. A `nil` value stays.
public struct UserChange: Sendable {
    public var email: String?
    public var phone: String?
    public var password: String?
    public var currentPassword: String?
    /// The code that `reauthenticate` sent.
    public var nonce: String?
    /// Merged into the existing members; `null` removes a member.
    public var metadata: [String: JSONValue]?
    /// How the link of the mail to a new address leads back.
    public var mailReturn: MailReturn

    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, currentPassword: String? = nil,
        nonce: String? = nil, metadata: [String: JSONValue]? = nil, mailReturn: MailReturn = MailReturn()
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.currentPassword = currentPassword
        self.nonce = nonce
        self.metadata = metadata
        self.mailReturn = mailReturn
    }
}
