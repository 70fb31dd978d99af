// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// How the session authority behaves. The defaults are those that are safe for most.
public struct AuthoritySettings: Sendable {
    /// The issuer of the tokens: the `iss` claim, usually the address that ends in `/auth/v1`.
    public var issuer: String
    /// The `aud` claim of users' tokens.
    public var audience = "authenticated"
    public var signing: TokenSigning = .es256
    /// Secrets beside the signing keys whose tokens (HS256) are accepted: operators' keys, and the one before the
    /// present one while it is being replaced.
    public var sharedSecrets: [SharedSecret] = []
    /// Roles whose tokens may administer users.
    public var administratorRoles: Set<String> = ["service_role", "supabase_admin"]
    /// How long an access token is valid, at most a day.
    public var accessTokenLife: Duration = .seconds(3600)
    public var lifetime = SessionLifetime()
    /// How long after a refresh an older token of a client without a nonce still answers with the active one.
    public var reuseInterval: Duration = .seconds(10)
    public var signUp: SignUpRule = .open
    public var anonymousSignUp: AnonymousRule = .refused
    public var emailConfirmation: EmailConfirmation = .automatic
    public var passwordRule = PasswordRule()
    public var passwordChange: PasswordChangeRule = .withSession
    /// The cost of a new password hash.
    public var passwordCost = ScryptCost()
    public var hashing = HashingLimits()
    public var attempts = AttemptLimit()
    public var identityProviders: [IdentityProvider] = []
    /// The most bytes of JSON that a user may store beside the account; they travel in every access token.
    public var metadataLimit = 4096
    /// How long a new signing key is published before it signs, so that services that cache the key set know it.
    public var keyPublication: Duration = .seconds(600)
    /// How long an entry of the feed may stay unread without a notification.
    public var feedPoll: Duration = .milliseconds(400)

    public init(issuer: String) { self.issuer = issuer }
}
