// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The audit log in the control store: appended to in the transaction whose act it records.
package struct AuditLog: Sendable {
    let control: ControlStore
    /// The hash of the entry that was last appended through this log or a copy of it: it need not be looked at again.
    private let written = Guarded("")

    package init(control: ControlStore) { self.control = control }

    /// The recorded facts of one act.
    struct Act: Sendable {
        var act: String
        var erasure: UUID?
        var subjectHash: String?
        var details: [String: String] = [:]
        /// The actor of the entry; `nil` for the actor that is passed to `append`.
        var actor: String?
    }

    /// Waits for the right to append, and reads the last two entries; the right ends with the transaction.
    var head: [SQLStatement] {
        let last = SQLStatement("SELECT sequence, hash, entry FROM \(control.audit) ORDER BY sequence DESC LIMIT 2")
        guard control.dialect.takesSeveralWriters else { return [last] }
        return [SQLStatement("SELECT pg_advisory_xact_lock(hashtext('farewell.audit'))"), last]
    }

    /// The statements that append acts after the head in the last result of `head`.
    ///
    /// - Throws: `audit.broken` if that was changed: nothing is added to it then.
    func append(_ acts: [Act], after result: SQLResult?, actor: String, at now: Date) throws -> [SQLStatement] {
        var head = result?.rows.first.flatMap { row -> AuditHead? in
            guard let sequence = row[0].integer, let hash = row[1].text else { return nil }
            return AuditHead(sequence: Int(sequence), hash: hash)
        }
        if let head, head.hash != written.withLock({ $0 }) { try Self.requireGenuine(result?.rows ?? []) }
        let rows = try acts.map { act -> [SQLValue] in
            let entry = try AuditChain.entry(
                after: head, at: now, actor: act.actor ?? actor, act: act.act, run: act.erasure,
                subject: act.subjectHash.map(SubjectHash.init(rawValue:)), details: act.details)
            head = AuditHead(of: entry)
            let text = try CanonicalJSON.text(entry)
            return [.integer(Int64(entry.sequence)), .text(entry.hash), .text(text)]
        }
        if let head { written.withLock { $0 = head.hash } }
        return control.inserts(
            rows, into: "\(control.audit) (sequence, hash, entry)", types: ["bigint", "text", "text"])
    }

    /// Appends acts in the transaction of a connection, beside other statements of it. It comes last in a transaction:
    /// other transactions that append wait for its end.
    func append(
        _ acts: [Act], beside statements: [SQLStatement] = [], actor: String, at now: Date,
        on connection: any SQLConnection
    ) async throws {
        let last = try await connection.pipeline(head).last
        _ = try await connection.pipeline(statements + append(acts, after: last, actor: actor, at: now))
    }

    /// Holds the newest entry against its hash and against the entry before.
    private static func requireGenuine(_ rows: [[SQLValue]]) throws {
        guard let newest = rows.first, let number = newest[0].integer else { return }
        let before = rows.dropFirst().first
        guard let last = entry(newest[2]), Int64(last.sequence) == number, last.hash == newest[1].text,
            try last.fittingHash() == last.hash, last.previous == before?[1].text ?? AuditChain.beginning,
            (before?[0].integer ?? 0) == number - 1
        else {
            throw FarewellError(
                "audit.broken", .yoursToFix,
                "The audit log was changed: entry \(number) does not match its hash. Nothing is added to the log.",
                remedy: "Restore that entry from an export of the log (docs/operations/backup.md), then try again.")
        }
    }

    /// Appends acts in a transaction of their own.
    package func record(
        _ act: String, erasure: UUID?, details: [String: String], actor: String, now: Date, on database: any SQLDatabase
    )
        async throws
    {
        try await database.transaction { connection in
            let act = Act(act: act, erasure: erasure, details: details)
            try await append([act], actor: actor, at: now, on: connection)
        }
    }

    /// Checks the log from its first entry to its last, a part of it at a time, so that a long one takes time and no
    /// memory.
    ///
    /// - Parameter head: The last head that was exported and kept apart from the log.
    func verdict(head: AuditHead?, on connection: any SQLConnection) async throws -> AuditVerdict {
        var check = AuditCheck(head: head)
        var last = Int64.min
        while true {
            let statement = SQLStatement(
                "SELECT sequence, hash, entry FROM \(control.audit) WHERE sequence > $1 ORDER BY sequence LIMIT 1000",
                [.integer(last)])
            let rows = try await connection.run(statement).rows
            for row in rows {
                let number = row[0].integer ?? 0
                last = number
                guard let entry = Self.entry(row[2]), Int64(entry.sequence) == number, entry.hash == row[1].text else {
                    return .broken(AuditDamage(sequence: Int(number), kind: .edited))
                }
                if let damage = check.take(entry) { return .broken(damage) }
            }
            guard rows.count == 1000 else { return check.finish() }
        }
    }

    static func entry(_ value: SQLValue) -> AuditEntry? {
        value.text.flatMap { try? CanonicalJSON.value(AuditEntry.self, from: Data($0.utf8)) }
    }

    /// All entries, oldest first.
    package func entries(on database: any SQLDatabase) async throws -> [AuditEntry] {
        let result = try await database.withConnection { connection in
            try await connection.run("SELECT entry FROM \(control.audit) ORDER BY sequence")
        }
        return try result.rows.map { row in
            guard let entry = Self.entry(row[0]) else {
                throw FarewellError("audit.malformed", .ours, "An entry of the audit log cannot be read.")
            }
            return entry
        }
    }
}
