// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
public import FarewellSQL
public import Foundation

/// The checks of `farewell doctor` on a database before anything is erased. Only reads.
public struct DatabaseHealth: Sendable {
    /// One thing that was looked at.
    public struct Fact: Sendable, Hashable, Codable {
        /// The result of the check.
        public enum Verdict: String, Sendable, Hashable, Codable { case good, warning, bad }

        public var name: String
        public var verdict: Verdict
        /// One sentence or a value.
        public var text: String
        public var remedy: String?

        public init(_ name: String, _ verdict: Verdict, _ text: String, remedy: String? = nil) {
            self.name = name
            self.verdict = verdict
            self.text = text
            self.remedy = remedy
        }
    }

    private let database: any SQLDatabase
    private let isWritable: @Sendable (String) -> Bool

    /// - Parameter isWritable: Whether this process may write to the file or folder at a path.
    public init(
        _ database: any SQLDatabase,
        isWritable: @escaping @Sendable (String) -> Bool = { FileManager.default.isWritableFile(atPath: $0) }
    ) {
        self.database = database
        self.isWritable = isWritable
    }

    /// Looks at the server or file, the connection and the role. `now` is this machine's wall clock.
    public func facts(schema: Schema, now: @escaping @Sendable () -> Date) async throws -> [Fact] {
        try await database.withConnection { connection in
            var facts =
                connection.dialect.isFile
                ? try await sqlite(connection) : try await postgreSQL(connection, schema, now)
            if let foreign = try await ForeignTables(dialect: connection.dialect).finding(on: connection) {
                facts.append(Fact("control store", .bad, foreign.message, remedy: foreign.remedy))
            }
            return facts
        }
    }

    // MARK: PostgreSQL

    private func postgreSQL(_ connection: any SQLConnection, _ schema: Schema, _ now: () -> Date) async throws -> [Fact]
    {
        let asked = now()
        let row =
            try await connection.run(
                """
                SELECT current_setting('server_version'), current_setting('server_version_num')::int, current_user, \
                coalesce((SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()), false), \
                inet_server_addr() IS NULL OR inet_server_addr() << '127.0.0.0/8' OR inet_server_addr() = '::1', \
                current_setting('transaction_read_only') = 'on', clock_timestamp(), \
                has_database_privilege(current_database(), 'CREATE'), \
                (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'session_replication_role'), \
                (SELECT has_schema_privilege(n.oid, 'USAGE') FROM pg_catalog.pg_namespace AS n \
                WHERE n.nspname = 'farewell'), \
                (SELECT has_schema_privilege(n.oid, 'CREATE') FROM pg_catalog.pg_namespace AS n \
                WHERE n.nspname = 'farewell'), current_setting('server_encoding'), pg_catalog.pg_is_in_recovery()
                """
            ).rows.first ?? []
        guard row.count == 13, case .timestamp(let theirs) = row[6] else { return [] }
        // The server read its clock in the middle of the round trip.
        let ours = asked.addingTimeInterval(now().timeIntervalSince(asked) / 2)
        let version = row[0].text ?? ""
        var facts = [
            (row[1].integer ?? 0) >= 120_000
                ? Fact("server", .good, "PostgreSQL \(version)")
                : Fact(
                    "server", .warning, "PostgreSQL \(version), older than the oldest tested version (12)",
                    remedy: "Update the server."),
            Fact("role", .good, row[2].text ?? ""),
        ]
        let pooler = PoolerFact(hasOwnSession: connection.hasOwnSession)
        facts.append(pooler.fact)
        facts.append(encryption(pooler, toServer: row[3], isLocal: row[4]))
        if row[5] == .bool(true) {
            facts.append(
                Fact(
                    "writing", .bad, "the server accepts no writes from this role",
                    remedy: row[12] == .bool(true)
                        ? "Connect to the primary server."
                        : "Connect to the primary server. If it is one, set default_transaction_read_only to off for "
                            + "the role and the database."))
        }
        if row[11].text == "SQL_ASCII" {
            facts.append(
                Fact(
                    "encoding", .warning,
                    "SQL_ASCII: the server stores any bytes; rows with bytes that are no UTF-8 cannot be exported",
                    remedy: "Move the data to a database with the encoding UTF8."))
        }
        facts.append(keys(atStart: row[8].text))
        if let limits = try await SessionLimits.read(on: connection).fact { facts.append(limits) }
        if let lacking = schemaRights(mayCreate: row[7], usage: row[9], create: row[10]) { facts.append(lacking) }
        if let rights = try await ControlRights.lacking(on: connection) {
            facts.append(Fact("control store", .bad, rights.message, remedy: rights.remedy))
        }
        if let nodes = try await CitusNodes.asked(on: connection) { facts.append(WorkerNodesFact(nodes: nodes).fact) }
        facts.append(clock(ours.timeIntervalSince(theirs)))
        facts.append(rowSecurity(schema))
        return facts
    }

    /// - Parameters:
    ///   - toServer: Whether the connection that the server sees uses TLS.
    ///   - isLocal: Whether the server is on this machine.
    private func encryption(_ pooler: PoolerFact, toServer: SQLValue, isLocal: SQLValue) -> Fact {
        if pooler.standsBetween {
            return pooler.encryption(toServer: toServer == .bool(true), isLocal: isLocal == .bool(true))
        }
        if toServer == .bool(true) { return Fact("encryption", .good, "TLS") }
        if isLocal == .bool(true) { return Fact("encryption", .good, "none, on this machine") }
        return Fact(
            "encryption", .bad, "none: passwords and rows cross the network unencrypted",
            remedy: "Add sslmode=verify-full to the address.")
    }

    /// The rights on the schema `farewell` that the role lacks; `NULL` for the schema's rights if there is none.
    private func schemaRights(mayCreate: SQLValue, usage: SQLValue, create: SQLValue) -> Fact? {
        guard !usage.isNull else {
            guard mayCreate == .bool(false) else { return nil }
            return Fact(
                "control store", .bad, "this role may not create the schema farewell",
                remedy: "As an owner: GRANT CREATE ON DATABASE … TO the role, or create the schema for it.")
        }
        let lacking = [("USAGE", usage), ("CREATE", create)].filter { $0.1 == .bool(false) }.map(\.0)
        guard !lacking.isEmpty else { return nil }
        return Fact(
            "control store", .bad, "this role lacks \(lacking.joined(separator: " and ")) on the schema farewell",
            remedy: "As an owner: GRANT \(lacking.joined(separator: ", ")) ON SCHEMA farewell TO the role.")
    }

    /// - Parameter role: The `session_replication_role` with which this role's sessions start in this database.
    private func keys(atStart role: String?) -> Fact {
        guard role == "replica" else { return Fact("foreign keys", .good, "enforced") }
        return Fact(
            "foreign keys", .warning,
            "sessions of this role start with session_replication_role = replica, which enforces no keys and fires no "
                + "triggers; Farewell's own sessions set it to origin",
            remedy: "Unless other programs need it: ALTER ROLE … RESET session_replication_role, or "
                + "ALTER DATABASE … RESET session_replication_role.")
    }

    private func clock(_ difference: TimeInterval) -> Fact {
        let seconds = abs(difference)
        let text = "\((min(seconds, 1e12) * 10).rounded(.down) / 10) s apart"
        if seconds < 5 { return Fact("clocks", .good, text) }
        let remedy = "Set this machine's clock by NTP."
        return seconds <= StoreClock.tolerance
            ? Fact("clocks", .warning, text, remedy: remedy)
            : Fact("clocks", .bad, "\(text). \(ClockStanding.consequence)", remedy: remedy)
    }

    private func rowSecurity(_ schema: Schema) -> Fact {
        let hiding = schema.tables.filter(\.rowSecurity.appliesToRole).map(\.name.description)
        guard !hiding.isEmpty else { return Fact("row security", .good, "hides nothing from this role") }
        return Fact(
            "row security", .bad, "may hide rows of \(hiding.prefix(5).joined(separator: ", "))",
            remedy: "Connect as a role with BYPASSRLS: hidden rows are not erased.")
    }

    // MARK: SQLite

    private func sqlite(_ connection: any SQLConnection) async throws -> [Fact] {
        let version = try await connection.run("SELECT sqlite_version()").scalar?.text ?? ""
        let mode = try await connection.run("PRAGMA journal_mode").scalar?.text ?? ""
        let secure = try await connection.run("PRAGMA secure_delete").scalar?.integer ?? 0
        let broken = try await connection.run("PRAGMA foreign_key_check").rows.count
        let list = "SELECT file FROM pragma_database_list WHERE name = 'main'"
        let path = try await connection.run(list).scalar?.text ?? ""
        return [
            Fact("database", .good, "SQLite \(version)"),
            writing(to: URL(fileURLWithPath: path)),
            mode == "wal"
                ? Fact("journal", .good, "write-ahead log")
                : Fact("journal", .good, "\(mode); the first erasure turns the write-ahead log on"),
            secure == 1
                ? Fact("secure deletion", .good, "erased bytes are overwritten")
                : Fact(
                    "secure deletion", .warning, "off for this connection",
                    remedy: "Nothing to do: it is on during erasures."),
            broken == 0
                ? Fact("foreign keys", .good, "consistent")
                : Fact(
                    "foreign keys", .warning, "rows that refer to rows that do not exist: \(broken)",
                    remedy: "See PRAGMA foreign_key_check: such rows lead to no subject and are not erased."),
        ]
    }

    /// The log of every erasure is beside the file, in its folder.
    private func writing(to file: URL) -> Fact {
        guard isWritable(file.path) else {
            return Fact(
                "writing", .bad, "this user may not write to the file",
                remedy: "Run as its owner, or from a file system that is not read-only.")
        }
        guard isWritable(file.deletingLastPathComponent().path) else {
            return Fact(
                "writing", .bad, "this user may not write to the file's folder, where SQLite keeps its log",
                remedy: "Run as the folder's owner.")
        }
        return Fact("writing", .good, "to the file and its folder")
    }
}
