// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The common part of the authority's stores: the names of the tables, and what statements say about their rows.
protocol AuthorityStoreTables: Sendable {
    var dialect: SQLDialect { get }
}

extension AuthorityStoreTables {
    var users: String { dialect.authorityTable("users") }
    var identities: String { dialect.authorityTable("identities") }
    var sessions: String { dialect.authorityTable("sessions") }
    var credentials: String { dialect.authorityTable("provider_credentials") }
    var revocations: String { dialect.authorityTable("revocations") }
    var mail: String { dialect.authorityTable("outgoing_mail") }
    var codes: String { dialect.authorityTable("one_time_codes") }
    var authorizationCodes: String { dialect.authorityTable("authorization_codes") }
    var knownSources: String { dialect.authorityTable("known_sources") }
    var declinedSignUps: String { dialect.authorityTable("declined_sign_ups") }
    var attempts: String { dialect.authorityTable("password_attempts") }
    var keys: String { dialect.authorityTable("signing_keys") }
    var consoleSessions: String { dialect.authorityTable("console_sessions") }
    var keyVersion: String { dialect.authorityTable("signing_key_version") }
}

// MARK: Rows

extension AuthorityStoreTables {
    var isNoSSO: String { "is_sso_user = \(dialect.no)" }

    /// A sign-up with an unconfirmed address, without any sign-in, which no operator has changed. Accounts that
    /// operators made or imported are none, nor is an account that was ever in use.
    func isUnusedSignUp(_ alias: String) -> String {
        """
        \(alias).signed_up_at IS NOT NULL AND \(alias).email_confirmed_at IS NULL \
        AND \(alias).phone_confirmed_at IS NULL AND \(alias).last_sign_in_at IS NULL AND \(alias).banned_until IS NULL \
        AND \(alias).deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM \(sessions) AS s WHERE s.user_id = \(alias).id)
        """
    }

    /// The column of the address that a mail of this purpose goes to.
    func addressColumn(_ purpose: MailPurpose) -> String {
        purpose == .emailChange ? "email_change" : "email"
    }

    /// Deletes rows, a thousand at a time, so that no other transaction waits for long.
    func few(of table: String, key: String, where condition: String, _ values: [SQLValue]) -> SQLStatement {
        SQLStatement(
            "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT 1000)", values)
    }

    /// A statement that counts, and whether it found any.
    func finds(_ count: SQLStatement) -> StoreQuery<Bool> { StoreQuery(count) { $0.scalar?.integer != 0 } }
}
