// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// How the session authority behaves. The defaults are those that are safe for most.
public struct AuthoritySettings: Sendable {
    /// Who signs the tokens: the `iss` claim, usually the address that ends in `/auth/v1`.
    public var issuer: String
    /// The `aud` claim of the people's tokens.
    public var audience = "authenticated"
    public var signing: TokenSigning = .es256
    /// Secrets beside the signing keys whose tokens (HS256) are accepted: operators' keys, and the one before the
    /// present one while it is being replaced.
    public var sharedSecrets: [SharedSecret] = []
    /// Roles whose tokens may administer people.
    public var administratorRoles: Set<String> = ["service_role", "supabase_admin"]
    /// How long an access token is good, at most a day.
    public var accessTokenLife: Duration = .seconds(3600)
    public var lifetime = SessionLifetime()
    /// How long after a refresh an older token of a client without a nonce still answers with the active one.
    public var reuseInterval: Duration = .seconds(10)
    public var signUp: SignUpRule = .open
    public var anonymousSignUp: AnonymousRule = .refused
    public var emailConfirmation: EmailConfirmation = .automatic
    public var passwordRule = PasswordRule()
    public var passwordChange: PasswordChangeRule = .withSession
    /// What a new password hash costs.
    public var passwordCost = ScryptCost()
    public var hashing = HashingLimits()
    public var attempts = AttemptLimit()
    public var identityProviders: [IdentityProvider] = []
    /// The most bytes of JSON that a person may store beside the account; they travel in every access token.
    public var metadataLimit = 4096
    /// How long a new signing key is published before it signs, so that those who cache the key set know it.
    public var keyPublication: Duration = .seconds(600)
    /// How long an entry of the feed may go unnoticed when no word of it comes through.
    public var feedPoll: Duration = .milliseconds(400)

    public init(issuer: String) { self.issuer = issuer }
}

/// What signs access tokens.
public enum TokenSigning: Sendable {
    /// ECDSA on P-256 (RFC 7518, 3.4), with a key of the store's own.
    case es256
    /// Ed25519 (RFC 8037), with a key of the store's own.
    case edDSA
    /// HMAC (RFC 7518, 3.2) under a secret that whoever verifies must have too.
    case hs256(SharedSecret)
}

/// A secret shared with others, of at least 32 bytes. Shows nothing of itself.
public struct SharedSecret: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Throws `authority.weak-secret` for fewer than 32 bytes of UTF-8 (RFC 7518, 3.2).
    public init(_ text: String) throws {
        guard text.utf8.count >= 32 else {
            throw FarewellError(
                "authority.weak-secret", .yoursToFix, "The shared secret for tokens has fewer than 32 bytes.",
                remedy: "Make a new one, for instance with openssl rand -base64 48.")
        }
        bytes = Array(text.utf8)
    }

    public var description: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whether people may sign up by themselves.
public enum SignUpRule: String, Sendable, Hashable, CaseIterable { case open, closed }

/// Whether somebody may sign up without saying who they are.
public enum AnonymousRule: String, Sendable, Hashable, CaseIterable { case allowed, refused }

/// Whether an e-mail address counts at once, or when it has been confirmed.
public enum EmailConfirmation: String, Sendable, Hashable, CaseIterable { case automatic, required }

/// What changing one's password takes beside a session.
public enum PasswordChangeRule: Sendable, Hashable {
    case withSession
    /// The present password.
    case withCurrentPassword
    /// A code sent by mail, when the session began longer ago than this.
    case withCode(after: Duration)
}

/// How dear an scrypt hash is (RFC 7914): 128 · 2^logN · blockSize bytes of memory, `parallelism` times one after
/// the other.
public struct ScryptCost: Sendable, Hashable {
    public var logN: Int
    public var blockSize: Int
    public var parallelism: Int

    public init(logN: Int = 15, blockSize: Int = 8, parallelism: Int = 3) {
        self.logN = logN
        self.blockSize = blockSize
        self.parallelism = parallelism
    }
}

/// How much hashing goes on at once. More than that is refused rather than queued without end.
public struct HashingLimits: Sendable, Hashable {
    /// `nil` is one for each processor.
    public var concurrent: Int?
    public var waiting: Int
    /// Whoever has waited longer is refused when their turn comes, rather than served when nobody waits any more.
    public var longestWait: Duration

    public init(concurrent: Int? = nil, waiting: Int = 64, longestWait: Duration = .seconds(5)) {
        self.concurrent = concurrent
        self.waiting = waiting
        self.longestWait = longestWait
    }
}

/// How often a password may be tried for one account, by all servers together, whether or not the account exists.
public struct AttemptLimit: Sendable, Hashable {
    /// Tries of all unknown sources together, and the most of any source.
    public var attempts: Int
    /// Tries of one source: a device that has signed in to the account before, or a network.
    public var perSource: Int
    public var window: Duration

    public init(attempts: Int = 30, perSource: Int = 10, window: Duration = .seconds(300)) {
        self.attempts = attempts
        self.perSource = perSource
        self.window = window
    }
}

/// Somebody whose identity tokens sign people in.
public struct IdentityProvider: Sendable, Hashable {
    /// `apple`, `google`: the name in the contract.
    public var name: String
    /// Exactly the issuers it signs as. The first is the one it is remembered by.
    public var issuers: [String]
    /// The applications whose tokens count: Apple's client and bundle ids, Google's client ids.
    public var audiences: Set<String>

    public init(name: String, issuers: [String], audiences: Set<String>) {
        self.name = name
        self.issuers = issuers
        self.audiences = audiences
    }

    /// Sign in with Apple, for these client and bundle ids.
    public static func apple(clientIDs: Set<String>) -> IdentityProvider {
        IdentityProvider(name: "apple", issuers: ["https://appleid.apple.com"], audiences: clientIDs)
    }

    /// Sign in with Google, which signs under two spellings of its name.
    public static func google(clientIDs: Set<String>) -> IdentityProvider {
        IdentityProvider(
            name: "google", issuers: ["https://accounts.google.com", "accounts.google.com"], audiences: clientIDs)
    }
}
