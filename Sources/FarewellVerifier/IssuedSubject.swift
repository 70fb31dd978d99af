// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A person as an issuer knows them. The same person at another issuer is another one, and an e-mail address says
/// nothing about who somebody is (OpenID Connect Core, section 5.7).
public struct IssuedSubject: Sendable, Hashable {
    /// The issuer's name: `iss`.
    public let issuer: String
    /// Its own word for the person: `sub`. From one to 255 printable characters of ASCII.
    public let subject: String

    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}
