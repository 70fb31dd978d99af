// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
public import FarewellSQL
public import Foundation

/// The contents of the control store, read without a plan, without keys and without any change.
///
/// An operator must see why an erasure is parked exactly when the plan no longer fits the schema.
public struct ErasureArchive: Sendable {
    private let database: any SQLDatabase
    private var control: ControlStore { ControlStore(dialect: database.dialect) }

    public init(_ database: any SQLDatabase) { self.database = database }

    /// The newest erasures, newest first; none if no erasure was ever requested.
    public func newest(limit: Int = 50) async throws -> [ErasureStatus] {
        try await read(control.requests.newest(limit: limit))
    }

    /// One erasure; `nil` when there is none of this identifier.
    public func erasure(_ id: UUID) async throws -> ErasureStatus? {
        try await read(control.requests.find(id)).first
    }

    /// Every erasure that is not ended, oldest first: running, abandoned or parked.
    public func open() async throws -> [ErasureStatus] {
        try await read(control.requests.live())
    }

    /// All erasures of the subject with this keyed hash, newest first.
    package func erasures(of subject: SubjectHash) async throws -> [ErasureStatus] {
        try await read(control.requests.find(subjectHash: subject.rawValue))
    }

    /// Retentions that could not be ended, the longest over first.
    package func failingRetentions(limit: Int = 100) async throws -> [RetentionFailure] {
        do {
            return try await control.retentions.failing(limit: limit).run(in: database)
        } catch let error as FarewellError where Self.isMissing(error) {
            return []
        }
    }

    /// The audit log, oldest entry first.
    package func auditEntries() async throws -> [AuditEntry] {
        do {
            return try await AuditLog(control: control).entries(on: database)
        } catch let error as FarewellError where Self.isMissing(error) {
            return []
        }
    }

    /// Whether the audit log is as it was written, from its first entry to its last; an empty one is.
    ///
    /// - Parameter head: The last head that was exported and kept apart from the log.
    package func auditVerdict(head: AuditHead? = nil) async throws -> AuditVerdict {
        do {
            return try await database.withConnection { connection in
                try await AuditLog(control: control).verdict(head: head, on: connection)
            }
        } catch let error as FarewellError where Self.isMissing(error) {
            return AuditCheck(head: head).finish()
        }
    }

    /// Whether the audit log has this entry.
    package func hasAuditEntry(_ head: AuditHead) async throws -> Bool {
        try await auditHead(at: head.sequence) == head
    }

    /// The audit log's entry with this number; `nil` if there is none.
    package func auditHead(at sequence: Int) async throws -> AuditHead? {
        do {
            return try await database.withConnection { connection in
                Self.head(try await connection.run(control.auditHead(at: sequence)))
            }
        } catch let error as FarewellError where Self.isMissing(error) {
            return nil
        }
    }

    // MARK: Receipts of commands

    /// Erasures that ended with a receipt after an entry of the audit log; all of them where `mark` is `nil`, or where
    /// the audit log of this database does not have that entry.
    ///
    /// After an entry, the result includes erasures that a server accepted; `receipts(of:)` leaves them out.
    package func issued(after mark: AuditHead?) async throws -> IssuedErasures {
        do {
            return try await database.withConnection { connection in
                let known = if let mark { [control.auditHead(at: mark.sequence)] } else { [SQLStatement]() }
                let heads = try await connection.pipeline([control.newestAuditHead] + known).map(Self.head)
                guard let mark, heads.last == mark else {
                    return try await Self.issued(control.issued, by: heads[0], isWhole: true, on: connection)
                }
                guard heads[0] != mark else { return IssuedErasures(erasures: [], head: mark, isWhole: false) }
                return try await Self.issued(control.ended(after: mark), by: heads[0], isWhole: false, on: connection)
            }
        } catch let error as FarewellError where Self.isMissing(error) {
            return IssuedErasures(erasures: [], head: nil, isWhole: true)
        }
    }

    /// Receipts of those of the erasures that no server accepted.
    package func receipts(of erasures: [UUID]) async throws -> [IssuedReceipt] {
        guard !erasures.isEmpty else { return [] }
        return try await database.withConnection { connection in
            try await connection.pipeline(erasures.map(control.issued)).flatMap(\.rows).compactMap(IssuedReceipt.init)
        }
    }

    /// The newest receipts, of commands and servers, newest first.
    package func newestReceipts(limit: Int) async throws -> [IssuedReceipt] {
        do {
            return try await database.withConnection { connection in
                try await connection.run(control.newestIssued(limit: limit)).rows.compactMap(IssuedReceipt.init)
            }
        } catch let error as FarewellError where Self.isMissing(error) {
            return []
        }
    }

    private static func issued(
        _ statement: SQLStatement, by head: AuditHead?, isWhole: Bool, on connection: any SQLConnection
    ) async throws -> IssuedErasures {
        let rows = try await connection.run(statement).rows
        return IssuedErasures(
            erasures: Set(rows.compactMap { $0.first?.identifier }), head: head, isWhole: isWhole)
    }

    private static func head(_ result: SQLResult) -> AuditHead? {
        guard let row = result.rows.first, row.count == 2, let sequence = row[0].integer, let hash = row[1].text else {
            return nil
        }
        return AuditHead(sequence: Int(sequence), hash: hash)
    }

    private func read(_ query: StoreQuery<[ErasureRecord]>) async throws -> [ErasureStatus] {
        do {
            return try await database.withConnection { try await control.statuses(query, on: $0) }
        } catch let error as FarewellError where Self.isMissing(error) {
            return []
        }
    }

    /// Whether the control store was never made here.
    private static func isMissing(_ error: FarewellError) -> Bool {
        error.code == "sql.42P01" || error.code == "sql.3F000"
    }
}

extension ControlStore {
    /// The erasures of a query, each with its steps and the rows done by the step under way.
    func statuses(_ query: StoreQuery<[ErasureRecord]>, on connection: any SQLConnection) async throws
        -> [ErasureStatus]
    {
        let records = try await query.run(on: connection)
        let open = records.filter(\.state.isLive).map(\.id)
        let promises = try await open.isEmpty ? [:] : requests.promises(of: open).run(on: connection)
        let steps = try await records.isEmpty ? [:] : steps.records(of: records.map(\.id)).run(on: connection)
        let done = records.filter { $0.state == .done }.map(\.id)
        let failing = try await done.isEmpty ? [] : retentions.failing(of: done).run(on: connection)
        return records.map { record in
            var status = ErasureStatus(record, steps: steps[record.id] ?? [], promises[record.id])
            status.failingRetentions = failing.filter { $0.erasure == record.id }
            return status
        }
    }
}
