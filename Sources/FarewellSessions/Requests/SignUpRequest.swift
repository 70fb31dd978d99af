// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The data of a sign-up. Without e-mail address and phone number it is an anonymous sign-up.
public struct SignUpRequest: Sendable {
    public var email: String?
    public var phone: String?
    public var password: String?
    public var metadata: [String: JSONValue]

    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, metadata: [String: JSONValue] = [:]
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.metadata = metadata
    }
}
