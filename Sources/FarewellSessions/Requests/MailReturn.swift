// SPDX-License-Identifier: Apache-2.0

/// How the link of a mail leads back to the app that requested the mail.
public struct MailReturn: Sendable, Hashable {
    /// The address to which the link leads; `nil` leads to the site of the settings. The caller has checked that the
    /// settings allow it.
    public var address: String?
    /// With a challenge, the link gives the app an authorization code instead of a session. `address` counts only
    /// beside one.
    public var challenge: CodeChallenge?

    public init(to address: String? = nil, challenge: CodeChallenge? = nil) {
        self.address = address
        self.challenge = challenge
    }
}
