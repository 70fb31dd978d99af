// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// An administrator's new values of a user. A `nil` value stays, or is the default.
public struct AdministratorChange: Sendable {
    /// Keeps an identifier from elsewhere; for new users only.
    public var id: UUID?
    public var email: String?
    public var phone: String?
    public var password: String?
    /// An imported hash: bcrypt (`$2a$`, `$2b$`, `$2y$`) or scrypt in PHC format.
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
