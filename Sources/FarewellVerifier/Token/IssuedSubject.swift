// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A user as an issuer names them. The same user at another issuer is another subject, and an e-mail address does not
/// identify a user (OpenID Connect Core, section 5.7).
public struct IssuedSubject: Sendable, Hashable {
    /// The issuer's name: `iss`.
    public let issuer: String
    /// The issuer's own name of the user: `sub`. From one to 255 printable characters of ASCII.
    public let subject: String

    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}
