// SPDX-License-Identifier: Apache-2.0
import Foundation

extension User: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, role, email, phone, identities
        case audience = "aud"
        case emailConfirmedAt = "email_confirmed_at"
        case phoneConfirmedAt = "phone_confirmed_at"
        case confirmedAt = "confirmed_at"
        case newEmail = "new_email"
        case emailChangeSentAt = "email_change_sent_at"
        case invitedAt = "invited_at"
        case confirmationSentAt = "confirmation_sent_at"
        case recoverySentAt = "recovery_sent_at"
        case reauthenticationSentAt = "reauthentication_sent_at"
        case lastSignInAt = "last_sign_in_at"
        case appMetadata = "app_metadata"
        case userMetadata = "user_metadata"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case bannedUntil = "banned_until"
        case deletedAt = "deleted_at"
        case isAnonymous = "is_anonymous"
    }

    /// In the order in which the canonical form has the names, which saves sorting them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(appMetadata, forKey: .appMetadata)
        try container.encode(audience, forKey: .audience)
        try container.encodeIfPresent(time: bannedUntil, forKey: .bannedUntil)
        try container.encodeIfPresent(time: confirmationSentAt, forKey: .confirmationSentAt)
        try container.encodeIfPresent(time: confirmedAt, forKey: .confirmedAt)
        try container.encode(time: createdAt, forKey: .createdAt)
        try container.encodeIfPresent(time: deletedAt, forKey: .deletedAt)
        try container.encode(email ?? "", forKey: .email)
        try container.encodeIfPresent(time: emailChangeSentAt, forKey: .emailChangeSentAt)
        try container.encodeIfPresent(time: emailConfirmedAt, forKey: .emailConfirmedAt)
        try container.encode(identifier: id, forKey: .id)
        try container.encode(identities, forKey: .identities)
        try container.encodeIfPresent(time: invitedAt, forKey: .invitedAt)
        try container.encode(isAnonymous, forKey: .isAnonymous)
        try container.encodeIfPresent(time: lastSignInAt, forKey: .lastSignInAt)
        try container.encodeIfPresent(newEmail, forKey: .newEmail)
        try container.encode(phone ?? "", forKey: .phone)
        try container.encodeIfPresent(time: phoneConfirmedAt, forKey: .phoneConfirmedAt)
        try container.encodeIfPresent(time: reauthenticationSentAt, forKey: .reauthenticationSentAt)
        try container.encodeIfPresent(time: recoverySentAt, forKey: .recoverySentAt)
        try container.encode(role, forKey: .role)
        try container.encode(time: updatedAt, forKey: .updatedAt)
        try container.encode(userMetadata, forKey: .userMetadata)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(UUID.self, forKey: .id),
            audience: try container.decode(String.self, forKey: .audience),
            role: try container.decodeIfPresent(String.self, forKey: .role) ?? "",
            email: try container.decodeIfPresent(String.self, forKey: .email).flatMap { $0.isEmpty ? nil : $0 },
            appMetadata: try container.decode([String: JSONValue].self, forKey: .appMetadata),
            userMetadata: try container.decode([String: JSONValue].self, forKey: .userMetadata),
            identities: try container.decodeIfPresent([UserIdentity].self, forKey: .identities) ?? [],
            createdAt: try container.decode(instant: .createdAt), updatedAt: try container.decode(instant: .updatedAt),
            isAnonymous: try container.decodeIfPresent(Bool.self, forKey: .isAnonymous) ?? false)
        phone = try container.decodeIfPresent(String.self, forKey: .phone).flatMap { $0.isEmpty ? nil : $0 }
        newEmail = try container.decodeIfPresent(String.self, forKey: .newEmail)
        emailConfirmedAt = try container.decodeIfPresent(instant: .emailConfirmedAt)
        phoneConfirmedAt = try container.decodeIfPresent(instant: .phoneConfirmedAt)
        emailChangeSentAt = try container.decodeIfPresent(instant: .emailChangeSentAt)
        invitedAt = try container.decodeIfPresent(instant: .invitedAt)
        confirmationSentAt = try container.decodeIfPresent(instant: .confirmationSentAt)
        recoverySentAt = try container.decodeIfPresent(instant: .recoverySentAt)
        reauthenticationSentAt = try container.decodeIfPresent(instant: .reauthenticationSentAt)
        lastSignInAt = try container.decodeIfPresent(instant: .lastSignInAt)
        bannedUntil = try container.decodeIfPresent(instant: .bannedUntil)
        deletedAt = try container.decodeIfPresent(instant: .deletedAt)
    }
}

extension UserIdentity: Codable {
    private enum CodingKeys: String, CodingKey {
        case id = "identity_id"
        case userID = "user_id"
        case provider, email
        case providerID = "id"
        case data = "identity_data"
        case lastSignInAt = "last_sign_in_at"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time: createdAt, forKey: .createdAt)
        try container.encodeIfPresent(data["email"]?.string, forKey: .email)
        try container.encode(providerID, forKey: .providerID)
        try container.encode(data, forKey: .data)
        try container.encode(identifier: id, forKey: .id)
        try container.encode(time: lastSignInAt ?? createdAt, forKey: .lastSignInAt)
        try container.encode(provider, forKey: .provider)
        try container.encode(time: updatedAt, forKey: .updatedAt)
        try container.encode(identifier: userID, forKey: .userID)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(UUID.self, forKey: .id), userID: try container.decode(UUID.self, forKey: .userID),
            provider: try container.decode(String.self, forKey: .provider),
            providerID: try container.decode(String.self, forKey: .providerID),
            data: try container.decodeIfPresent([String: JSONValue].self, forKey: .data) ?? [:],
            lastSignInAt: try container.decodeIfPresent(instant: .lastSignInAt),
            createdAt: try container.decode(instant: .createdAt),
            updatedAt: try container.decode(instant: .updatedAt))
    }
}

extension KeyedEncodingContainer {
    fileprivate mutating func encodeIfPresent(time: Date?, forKey key: Key) throws {
        if let time { try encode(time: time, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    fileprivate func decodeIfPresent(instant key: Key) throws -> Date? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let date = RFC3339.date(text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not a time")
        }
        return date
    }

    fileprivate func decode(instant key: Key) throws -> Date {
        guard let date = try decodeIfPresent(instant: key) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no time")
        }
        return date
    }
}
