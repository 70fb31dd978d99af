// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// The claims of an access token (contract, 1.5), in the order in which they are written.
public struct AccessTokenClaims: Sendable, Hashable, Codable {
    public var aal: String?
    public var amr: [AuthenticationMethod]?
    public var appMetadata: [String: JSONValue]?
    public var aud: String?
    public var email: String?
    /// Seconds since 1970.
    public var exp: Int64?
    public var iat: Int64?
    public var isAnonymous: Bool?
    public var iss: String?
    /// Seconds since 1970; ours have none.
    public var nbf: Int64?
    public var phone: String?
    public var role: String?
    public var sessionID: String?
    public var sub: String?
    public var userMetadata: [String: JSONValue]?

    private enum CodingKeys: String, CodingKey {
        case aal, amr
        case appMetadata = "app_metadata"
        case aud, email, exp, iat
        case isAnonymous = "is_anonymous"
        case iss, nbf, phone, role
        case sessionID = "session_id"
        case sub
        case userMetadata = "user_metadata"
    }

    init(user: User, session: Session, issuer: String, audience: String, issuedAt: Date, expiresAt: Date) {
        iss = issuer
        sub = user.id.text
        aud = audience
        exp = Int64(expiresAt.timeIntervalSince1970)
        iat = Int64(issuedAt.timeIntervalSince1970)
        email = user.email ?? ""
        phone = user.phone ?? ""
        appMetadata = user.appMetadata
        userMetadata = user.userMetadata
        role = user.role
        aal = session.assurance
        amr = session.methods
        sessionID = session.id.text
        isAnonymous = user.isAnonymous
    }
}

extension AccessTokenClaims {
    /// A claim of another type than it should have.
    private struct WrongType: Error {}

    /// Reads a token's payload: a claim that is `null` is absent, one of another type is a fault.
    init(members: [String: JSONValue]) throws {
        func read<Value>(_ name: String, _ value: (JSONValue) -> Value?) throws -> Value? {
            guard let member = members[name], member != .null else { return nil }
            guard let value = value(member) else { throw WrongType() }
            return value
        }
        iss = try read("iss", \.string)
        sub = try read("sub", \.string)
        aud = try read("aud", \.string)
        exp = try read("exp", \.wholeNumber)
        iat = try read("iat", \.wholeNumber)
        nbf = try read("nbf", \.wholeNumber)
        email = try read("email", \.string)
        phone = try read("phone", \.string)
        appMetadata = try read("app_metadata", \.object)
        userMetadata = try read("user_metadata", \.object)
        role = try read("role", \.string)
        aal = try read("aal", \.string)
        amr = try read("amr") { value in
            let methods = value.array?.compactMap(AuthenticationMethod.init)
            return methods?.count == value.array?.count ? methods : nil
        }
        sessionID = try read("session_id", \.string)
        isAnonymous = try read("is_anonymous", \.boolean)
    }
}

extension AuthenticationMethod {
    /// nil for anything but an object with a method and a time.
    init?(_ value: JSONValue) {
        guard let method = value["method"]?.string, let timestamp = value["timestamp"]?.integer else { return nil }
        self.init(method: method, timestamp: timestamp, provider: value["provider"]?.string)
    }
}

extension JSONValue {
    /// A number without a fraction, however it is written.
    fileprivate var wholeNumber: Int64? {
        if case .number(let number) = self { Int64(exactly: number) } else { integer }
    }
}
