// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The data of a sign-up. Without e-mail address and phone number it is an anonymous sign-up.
public struct SignUpRequest: Sendable {
    public var email: String?
    public var phone: String?
    public var password: String?
    public var metadata: [String: JSONValue]
    /// How the link of the mail to the address leads back.
    public var mailReturn: MailReturn

    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, metadata: [String: JSONValue] = [:],
        mailReturn: MailReturn = MailReturn()
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.metadata = metadata
        self.mailReturn = mailReturn
    }
}
