// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// One query's result about a user, one of their sessions, and the store's signing keys.
struct AccountRow: Sendable {
    var user: User
    /// `nil` when there is no such session.
    var session: SessionRow?
    /// Grows with every change of the signing keys.
    var keyVersion: Int64

    static func columns(_ dialect: SQLDialect) -> String {
        let version = "(SELECT version FROM \(dialect.authorityTable("signing_key_version")))"
        return [version, SessionRow.columns, userColumns, identityColumns].joined(separator: ", ")
    }

    static let userColumns =
        "u.id, u.aud, u.role, u.email, u.email_confirmed_at, u.phone, u.phone_confirmed_at, u.email_change, "
        + "u.email_change_sent_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, "
        + "u.reauthentication_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, "
        + "u.updated_at, u.banned_until, u.deleted_at, u.is_anonymous"

    static let identityColumns =
        "i.id, i.provider_id, i.provider, i.identity_data, i.last_sign_in_at, i.created_at, i.updated_at"

    /// Rows of one user: one for each identity, with the user and the session in each.
    init?(_ result: SQLResult) throws { try self.init(result.rows) }

    init?(_ rows: [[SQLValue]]) throws {
        guard let first = rows.first else { return nil }
        var reader = RowReader(first)
        keyVersion = try reader.requiredInteger()
        session = try SessionRow(&reader)
        user = try User(&reader)
        user.identities = try rows.compactMap { row in
            var reader = RowReader(row.dropFirst(1 + SessionRow.columnCount + User.columnCount))
            return try UserIdentity(&reader, of: user.id)
        }
    }
}

extension User {
    static let columnCount = 21

    init(_ reader: inout RowReader) throws {
        let id = try reader.requiredIdentifier()
        let (audience, role) = (try reader.text() ?? "", try reader.text() ?? "")
        self.init(
            id: id, audience: audience, role: role, createdAt: .distantPast, updatedAt: .distantPast)
        email = try reader.text().flatMap(\.nonEmpty)
        emailConfirmedAt = try reader.date()
        phone = try reader.text().flatMap(\.nonEmpty)
        phoneConfirmedAt = try reader.date()
        newEmail = try reader.text().flatMap(\.nonEmpty)
        emailChangeSentAt = try reader.date()
        invitedAt = try reader.date()
        confirmationSentAt = try reader.date()
        recoverySentAt = try reader.date()
        reauthenticationSentAt = try reader.date()
        lastSignInAt = try reader.date()
        appMetadata = try reader.members()
        userMetadata = try reader.members()
        let created = try reader.date()
        let updated = try reader.date()
        createdAt = created ?? updated ?? Date(timeIntervalSince1970: 0)
        updatedAt = updated ?? createdAt
        bannedUntil = try reader.date()
        deletedAt = try reader.date()
        isAnonymous = try reader.bool()
    }
}

extension UserIdentity {
    init?(_ reader: inout RowReader, of user: UUID) throws {
        guard let id = try reader.identifier() else { return nil }
        self.init(
            id: id, userID: user, provider: "", providerID: try reader.requiredText(), createdAt: .distantPast,
            updatedAt: .distantPast)
        provider = try reader.requiredText()
        data = try reader.members()
        lastSignInAt = try reader.date()
        createdAt = try reader.date() ?? Date(timeIntervalSince1970: 0)
        updatedAt = try reader.date() ?? createdAt
    }
}

extension String {
    var nonEmpty: String? { isEmpty ? nil : self }
}
