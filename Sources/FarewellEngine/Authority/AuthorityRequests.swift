// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// What somebody says who signs up. Without e-mail address and phone number it is an anonymous sign-up.
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

/// What came of a sign-up.
public enum SignUpOutcome: Sendable {
    /// Signed in at once.
    case session(SessionGrant)
    /// The address must be confirmed first. For an address that is taken, a made-up user that looks the same.
    case user(User)

    public var user: User {
        switch self {
        case .session(let grant): grant.user
        case .user(let user): user
        }
    }
}

/// A sign-in by an identity token (contract, 1.7).
public struct IdentityTokenRequest: Sendable {
    /// `apple`, `google`.
    public var provider: String
    public var token: String
    /// What the application knows, of which the token holds the hash.
    public var nonce: String?
    /// Apple's authorization code, to be exchanged for the token that can revoke the connection.
    public var authorizationCode: String?

    public init(provider: String, token: String, nonce: String? = nil, authorizationCode: String? = nil) {
        self.provider = provider
        self.token = token
        self.nonce = nonce
        self.authorizationCode = authorizationCode
    }
}

/// Who asks, by a token that was found good.
public struct Caller: Sendable {
    public var user: User
    /// `nil` for a token that belongs to no session.
    public var session: Session?
    public var claims: AccessTokenClaims

    public init(user: User, session: Session?, claims: AccessTokenClaims) {
        self.user = user
        self.session = session
        self.claims = claims
    }
}

/// What a person changes of their account. What is `nil` stays.
public struct UserChange: Sendable {
    public var email: String?
    public var phone: String?
    public var password: String?
    public var currentPassword: String?
    /// The code that `reauthenticate` sent.
    public var nonce: String?
    /// Merged into what is there; `null` removes a member.
    public var metadata: [String: JSONValue]?

    public init(
        email: String? = nil, phone: String? = nil, password: String? = nil, currentPassword: String? = nil,
        nonce: String? = nil, metadata: [String: JSONValue]? = nil
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.currentPassword = currentPassword
        self.nonce = nonce
        self.metadata = metadata
    }
}

/// What an administrator makes or changes of a person. What is `nil` stays, or is as usual.
public struct AdministratorChange: Sendable {
    /// Keeps an identifier from elsewhere; for new people only.
    public var id: UUID?
    public var email: String?
    public var phone: String?
    public var password: String?
    /// A hash brought along: bcrypt (`$2a$`, `$2b$`, `$2y$`) or scrypt in PHC format.
    public var passwordHash: String?
    /// Whether the addresses count as confirmed.
    public var confirmsEmail: Bool?
    public var confirmsPhone: Bool?
    public var userMetadata: [String: JSONValue]?
    public var appMetadata: [String: JSONValue]?
    public var role: String?
    /// `none`, `24h`: see `BanDuration`.
    public var banDuration: String?

    public init() {}
}

/// One page of people.
public struct UserPage: Sendable {
    public let users: [User]
    public let total: Int
    /// From 1.
    public let page: Int
    public let perPage: Int

    public var lastPage: Int { max(1, (total + perPage - 1) / perPage) }
}

/// How deep an administrator's deletion goes.
public enum UserDeletion: String, Sendable, Hashable, CaseIterable {
    /// Nothing of the person is left.
    case hard
    /// An emptied row stays, so that others' rows keep their key.
    case soft
}
