// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Ends verified erasures: ledger, audit log, receipt; what was sealed about the people is destroyed.
struct ErasureCompletion: Sendable {
    let context: ErasureContext

    func complete(
        _ members: [ErasureMember], counts: [UUID: [String: [String: Int]]], _ verification: ReceiptVerification
    ) async throws -> [ErasureOutcome] {
        let now = context.environment.now()
        let signer = ReceiptSigner(key: context.keys.signingKey)
        let writer = ReceiptWriter(context: context)
        let receipts = try members.map { member in
            let receipt = writer.receipt(member, counts[member.id] ?? [:], verification, at: now)
            return (member: member, receipt: receipt, signed: try signer.sign(receipt))
        }
        try LedgerFile(context.keys).append(receipts.map { entry($0.member, at: now) })
        for member in members { await observe(member.id, .entered) }
        try await record(receipts.map { ($0.member, $0.receipt, $0.signed) }, at: now)
        for member in members { await observe(member.id, .done) }
        return receipts.map { .done($0.receipt, signed: $0.signed) }
    }

    private func entry(_ member: ErasureMember, at now: Date) -> LedgerEntry {
        LedgerEntry(
            subject: SubjectHash(rawValue: member.record.subjectHash), incarnation: member.subject.incarnation,
            erasedAt: now, receipt: member.id)
    }

    /// One transaction, fenced by the lease: whoever has lost it issues no receipt.
    private func record(_ receipts: [(ErasureMember, Receipt, String)], at now: Date) async throws {
        let control = context.control
        let audit = context.audit
        let members = receipts.map(\.0)
        let rows = RowErasure(prepared: context.prepared, control: control, owner: context.owner)
        let opening = [control.begin, control.guardLease(members, owner: context.owner, state: .verifying)]
        try await context.database.withConnection { connection in
            try await rows.guarded(members, .verifying, on: connection) {
                let results = try await connection.pipeline(opening + audit.head)
                let acts = receipts.map { member, receipt, _ in
                    AuditLog.Act(
                        act: "erasure.done", erasure: member.id, subjectHash: member.record.subjectHash,
                        details: [
                            "erased": "\(receipt.totals.erased)", "anonymised": "\(receipt.totals.anonymised)",
                            "retained": "\(receipt.totals.retained)",
                        ])
                }
                var statements = try audit.append(acts, after: results.last, actor: "engine", at: now)
                for (member, _, signed) in receipts {
                    statements.append(try control.enter(entry(member, at: now)))
                    statements.append(control.finish(member.id, receipt: signed, at: now))
                }
                _ = try await connection.pipeline(statements + [control.commit])
            }
        }
    }

    private func observe(_ id: UUID, _ event: ErasureProgress.Event) async {
        await context.observe(ErasureProgress(erasure: id, event: event))
    }
}
