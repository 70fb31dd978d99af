// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Writes and reads the session authority's tables, by one store for each noun. The stores make statements; the
/// authority decides which go together.
struct AuthorityStore: Sendable {
    let dialect: SQLDialect
    private let queries: AuthorityQueries

    init(dialect: SQLDialect) {
        self.dialect = dialect
        queries = AuthorityQueries(dialect)
    }

    var users: UserStore { UserStore(dialect: dialect) }
    var passwords: PasswordStore { PasswordStore(dialect: dialect) }
    var signUps: SignUpStore { SignUpStore(dialect: dialect) }
    var identities: UserIdentityStore { UserIdentityStore(dialect: dialect) }
    var credentials: ProviderCredentialStore { ProviderCredentialStore(dialect: dialect) }
    var accounts: AccountStore { AccountStore(dialect: dialect, queries: queries) }
    var sessions: SessionStore { SessionStore(dialect: dialect) }
    var refreshTokens: RefreshTokenStore { RefreshTokenStore(dialect: dialect, queries: queries) }
    var revocations: RevocationStore { RevocationStore(dialect: dialect) }
    var mail: MailStore { MailStore(dialect: dialect) }
    var codes: CodeStore { CodeStore(dialect: dialect) }
    var authorizationCodes: AuthorizationCodeStore { AuthorizationCodeStore(dialect: dialect) }
    var attempts: AttemptStore { AttemptStore(dialect: dialect) }
    var knownSources: KnownSourceStore { KnownSourceStore(dialect: dialect) }
    var signingKeys: SigningKeyStore { SigningKeyStore(dialect: dialect) }
    var consoleSessions: ConsoleSessionStore { ConsoleSessionStore(dialect: dialect) }

    /// Makes or renews the tables.
    func migrate(_ database: any SQLDatabase, now: Date) async throws {
        try await database.transaction { connection in
            try await AuthorityMigrations(dialect: dialect).apply(on: connection, now: .timestamp(now))
        }
    }

    /// Refuses a database with tables of a newer binary or of another program, and makes nothing.
    func refuseOthers(in database: any SQLDatabase) async throws {
        try await database.withConnection { try await AuthorityMigrations(dialect: dialect).refuseOthers(on: $0) }
    }

    /// The schema as `migrate` will leave it: the tables are made, read and rolled back, in one transaction.
    func schemaOnceMigrated(_ database: any SQLDatabase, now: Date) async throws -> Schema {
        try await database.transaction { connection in
            try await connection.run("SAVEPOINT before_tables")
            try await AuthorityMigrations(dialect: dialect).apply(on: connection, now: .timestamp(now))
            let schema = try await Schema.read(from: connection)
            try await connection.run("ROLLBACK TO SAVEPOINT before_tables")
            return schema
        }
    }

    /// Refuses a database without the tables, and makes nothing.
    func requireTables(_ database: any SQLDatabase) async throws {
        try await database.withConnection { try await AuthorityMigrations(dialect: dialect).require(on: $0) }
    }
}
