// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// What an access token says (contract, 1.5).
public struct AccessTokenClaims: Sendable, Hashable, Codable {
    public var iss: String?
    public var sub: String?
    public var aud: String?
    /// Seconds since 1970.
    public var exp: Int64?
    public var iat: Int64?
    public var email: String?
    public var phone: String?
    public var appMetadata: [String: JSONValue]?
    public var userMetadata: [String: JSONValue]?
    public var role: String?
    public var aal: String?
    public var amr: [AuthenticationMethod]?
    public var sessionID: String?
    public var isAnonymous: Bool?

    private enum CodingKeys: String, CodingKey {
        case iss, sub, aud, exp, iat, email, phone, role, aal, amr
        case appMetadata = "app_metadata"
        case userMetadata = "user_metadata"
        case sessionID = "session_id"
        case isAnonymous = "is_anonymous"
    }

    init(user: User, session: Session, issuer: String, issuedAt: Date, expiresAt: Date) {
        iss = issuer
        sub = user.id.uuidString.lowercased()
        aud = user.audience
        exp = Int64(expiresAt.timeIntervalSince1970)
        iat = Int64(issuedAt.timeIntervalSince1970)
        email = user.email ?? ""
        phone = user.phone ?? ""
        appMetadata = user.appMetadata
        userMetadata = user.userMetadata
        role = user.role
        aal = session.assurance
        amr = session.methods
        sessionID = session.id.uuidString.lowercased()
        isAnonymous = user.isAnonymous
    }
}
