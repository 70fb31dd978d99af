// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import FarewellSQL

extension SamplePeople {
    /// The owner of the table of accounts, `auth.users`.
    public enum Accounts: String, Sendable, Hashable, CaseIterable {
        /// The profile's own.
        case made
        /// There already, with at least the profile's columns: a session authority, or Supabase, keeps it.
        case present
    }

    /// Makes the profile's tables, from its file in `Examples`, and its users.
    ///
    /// - Parameter examples: the folder of the profiles' SQL files.
    /// - Throws: `sample.no-examples`; otherwise as `make(in:tables:accounts:progress:)`.
    @discardableResult
    public func make(
        in database: any SQLDatabase, examples: ExampleFolder, accounts: Accounts = .made,
        progress: (TableName) -> Void = { _ in }
    ) async throws -> SampleReport {
        let tables = try examples.script(profile, database.dialect)
        return try await make(in: database, tables: tables, accounts: accounts, progress: progress)
    }

    /// Makes the profile's tables and users in a database that has none of them yet.
    ///
    /// Tables first, then rows, then keys and indexes, which is the fastest order. All in one transaction: a failure or
    /// a killed process leaves nothing behind.
    ///
    /// - Parameters:
    ///   - database: an open database without these tables.
    ///   - script: the statements that make the profile's tables in this database.
    ///   - accounts: whether the table of accounts is made too.
    ///   - progress: receives the name of each table before its rows are made.
    /// - Returns: the tables and the numbers of rows.
    /// - Throws: `sample.not-empty` if one of the tables exists already; the database's errors.
    @discardableResult
    public func make(
        in database: any SQLDatabase, tables script: SQLScript, accounts: Accounts = .made,
        progress: (TableName) -> Void = { _ in }
    ) async throws -> SampleReport {
        let script = script.parts(database.dialect, accounts)
        let dialect = database.dialect
        return try await database.withConnection { connection in
            try await refuseExisting(connection, accounts)
            try await connection.run(begin: dialect)
            for statement in script.first { try await connection.run(statement) }
            var made: [SampleReport.Table] = []
            for table in tables(dialect) {
                let name = table.tableName(dialect)
                progress(name)
                let result = try await connection.run(table.statement(dialect))
                made.append(SampleReport.Table(table: name, rows: result.affected))
            }
            for statement in script.then { try await connection.run(statement) }
            try await connection.run(end: dialect, identity: profile == .coachme)
            if made.isEmpty { made = try await counts(connection) }
            try await connection.run(tidying: dialect)
            return SampleReport(
                profile: profile, people: people, tables: made, subject: subject(dialect).description,
                exampleKey: subjectKey(at: exampleIndex), largeKey: messagesOfOne > 0 ? subjectKey(at: 0) : nil)
        }
    }

    private func refuseExisting(_ connection: any SQLConnection, _ accounts: Accounts) async throws {
        let made = tables(connection.dialect).map { $0.tableName(connection.dialect) }
        let subject = accounts == .present && made.count > 1 ? made[1] : subject(connection.dialect).table
        guard try await Schema.read(from: connection)[subject] != nil else { return }
        throw FarewellError(
            "sample.not-empty", .yoursToFix, "The database already has a table \(subject).",
            remedy: "Give an empty database; nothing was changed.")
    }

    private func counts(_ connection: any SQLConnection) async throws -> [SampleReport.Table] {
        let dialect = connection.dialect
        var counts: [SampleReport.Table] = []
        for table in try await Schema.read(from: connection).tables {
            let count = try await connection.run("SELECT count(*) FROM \(dialect.qualified(table.name))")
            counts.append(SampleReport.Table(table: table.name, rows: Int(count.scalar?.integer ?? 0)))
        }
        return counts
    }
}

extension SQLScript {
    /// The statements that make the tables, and those that come after the rows.
    fileprivate func parts(
        _ dialect: SQLDialect, _ accounts: SamplePeople.Accounts
    ) -> (first: [String], then: [String]) {
        let table = dialect.ownTable("users", in: "auth")
        let isOfAccounts = { (text: String) in
            text.hasPrefix("CREATE TABLE \(table) ") || text.hasPrefix("ALTER TABLE \(table) ")
        }
        let statements = harmless.filter { text in
            accounts == .made || !isOfAccounts(text)
        }
        let isTable = { (text: String) in text.hasPrefix("CREATE TABLE") || text.hasPrefix("CREATE SCHEMA") }
        return (statements.filter(isTable), statements.filter { !isTable($0) })
    }
}

extension SQLConnection {
    fileprivate func run(begin dialect: SQLDialect) async throws {
        switch dialect {
        case .postgresql:
            try await run("BEGIN")
            try await run("SET LOCAL maintenance_work_mem = '256MB'")
        case .sqlite:
            // Every row made refers to a row that is made: checking each again would take most of the time.
            try await run("PRAGMA foreign_keys = OFF")
            try await run("PRAGMA cache_size = -262144")
            try await run("BEGIN IMMEDIATE")
        }
    }

    fileprivate func run(end dialect: SQLDialect, identity: Bool) async throws {
        switch dialect {
        case .postgresql:
            if identity {
                try await run(
                    """
                    SELECT setval(pg_get_serial_sequence('public.usage_logs', 'id'), max(id)) FROM public.usage_logs
                    """)
            }
            try await run("COMMIT")
        case .sqlite:
            try await run("COMMIT")
            try await run("PRAGMA foreign_keys = ON")
        }
    }

    fileprivate func run(tidying dialect: SQLDialect) async throws {
        switch dialect {
        case .postgresql: try await run("VACUUM (ANALYZE)")
        case .sqlite:
            try await run("ANALYZE")
            try await run("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}
