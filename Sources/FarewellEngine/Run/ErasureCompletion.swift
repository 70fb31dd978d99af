// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Ends verified erasures: ledger, audit log, receipt; what was sealed about the people is destroyed.
struct ErasureCompletion: Sendable {
    let context: ErasureContext
    let members: [ErasureMember]
    /// Rows and files for each member, step and place.
    let counts: [UUID: [String: [String: Int]]]

    /// A member's receipt, as it is and as it is handed out.
    private struct Ending {
        let member: ErasureMember
        let receipt: Receipt
        let signed: String
    }

    /// Ends them with what their verification found.
    func complete(_ verification: ReceiptVerification) async throws -> [ErasureOutcome] {
        let now = context.environment.now()
        let endings = try endings(verification, at: now)
        try LedgerFile(context.keys).append(entries(at: now))
        for member in members { await observe(member.id, .entered) }
        try await context.database.withConnection { connection in
            try await record(endings, on: connection, at: now) {
                try await connection.pipeline([context.control.begin] + context.audit.head).last
            }
        }
        for member in members { await observe(member.id, .done) }
        return endings.map { .done($0.receipt, signed: $0.signed) }
    }

    /// The same on a connection that has read back.
    ///
    /// The ledger is written before the transaction ends and may reach its disk meanwhile: what it tells survives this
    /// process, and the database's own copy of it the loss of power. Nothing is said to be done before both are safe.
    ///
    /// - Parameter opening: Begins the transaction, or has begun it, and answers the audit log's head.
    func complete(
        _ verification: ReceiptVerification, on connection: any SQLConnection,
        opening: () async throws -> SQLResult?
    ) async throws -> [ErasureOutcome] {
        let now = context.environment.now()
        let endings = try endings(verification, at: now)
        let ledger = LedgerFile(context.keys)
        try ledger.add(entries(at: now))
        async let synced: Void = ledger.sync()
        try await record(endings, on: connection, at: now, opening: opening)
        try await synced
        return endings.map { .done($0.receipt, signed: $0.signed) }
    }

    private var rows: RowErasure {
        RowErasure(prepared: context.prepared, control: context.control, owner: context.owner)
    }

    private func endings(_ verification: ReceiptVerification, at now: Date) throws -> [Ending] {
        let signer = ReceiptSigner(key: context.keys.signingKey)
        let writer = ReceiptWriter(context: context)
        return try members.map { member in
            let receipt = writer.receipt(member, counts[member.id] ?? [:], verification, at: now)
            return Ending(member: member, receipt: receipt, signed: try signer.sign(receipt))
        }
    }

    private func entries(at now: Date) -> [LedgerEntry] { members.map { entry($0, at: now) } }

    private func entry(_ member: ErasureMember, at now: Date) -> LedgerEntry {
        LedgerEntry(
            subject: SubjectHash(rawValue: member.record.subjectHash), incarnation: member.subject.incarnation,
            erasedAt: now, receipt: member.id)
    }

    /// One transaction, fenced by the lease: whoever has lost it issues no receipt.
    private func record(
        _ endings: [Ending], on connection: any SQLConnection, at now: Date, opening: () async throws -> SQLResult?
    ) async throws {
        try await rows.guarded(members, .verifying, on: connection) {
            let head = try await opening()
            _ = try await connection.pipeline(try statements(endings, after: head, at: now))
        }
    }

    private func statements(_ endings: [Ending], after head: SQLResult?, at now: Date) throws -> [SQLStatement] {
        let control = context.control
        let acts = endings.map { ending in
            AuditLog.Act(
                act: "erasure.done", erasure: ending.member.id, subjectHash: ending.member.record.subjectHash,
                details: [
                    "erased": "\(ending.receipt.totals.erased)", "anonymised": "\(ending.receipt.totals.anonymised)",
                    "retained": "\(ending.receipt.totals.retained)",
                ])
        }
        let finishing = control.finish(
            endings.map { ($0.member, $0.signed) }, owner: context.owner, at: now)
        let entering = try control.enter(entries(at: now))
        let appending = try context.audit.append(acts, after: head, actor: "engine", at: now)
        return finishing + entering + appending + [control.commit]
    }

    private func observe(_ id: UUID, _ event: ErasureProgress.Event) async {
        await context.observe(ErasureProgress(erasure: id, event: event))
    }
}
