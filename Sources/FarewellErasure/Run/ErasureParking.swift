// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Puts an erasure where a person has to look at it, with the cause in words.
struct ErasureParking: Sendable {
    let context: ErasureContext

    func park(_ member: ErasureMember, _ error: FarewellError) async -> ErasureOutcome {
        let cause = await cause(member, error)
        let control = context.control
        let audit = context.audit
        do {
            let parked = try await context.database.transaction { connection in
                let changed = try await connection.run(control.park(member, owner: context.owner, cause: cause))
                    .affected
                guard changed == 1 else { return false }
                let results = try await connection.pipeline(audit.head)
                let act = AuditLog.Act(
                    act: "erasure.parked", erasure: member.id, subjectHash: member.record.subjectHash,
                    details: ["cause": error.code.rawValue])
                _ = try await connection.pipeline(
                    try audit.append([act], after: results.last, actor: "engine", at: context.environment.now()))
                return true
            }
            guard parked else {
                return .unfinished(member.id, subject: member.subject.key.text, GuardFailure.leaseLost)
            }
        } catch {
            return .unfinished(member.id, subject: member.subject.key.text, Self.known(error))
        }
        await context.observe(.init(erasure: member.id, event: .parked(cause: cause)))
        return .parked(member.id, cause: cause)
    }

    /// The cause in words: for a changed schema with the differences, for a broken key with the rows behind it.
    private func cause(_ member: ErasureMember, _ error: FarewellError) async -> String {
        var details: [String]?
        switch error.code {
        case "run.schema-changed":
            details = try? await SchemaDrift(context: context).differences(since: member.record.schemaFingerprint)
        case "sql.23503", "sql.23001":
            let search = BlockerSearch(prepared: context.prepared)
            details = try? await context.database.withConnection { connection in
                try await search.blockers(of: [member.subject.key.value], on: connection).map(\.message)
            }
        default: break
        }
        guard let details, !details.isEmpty else { return "\(error)" }
        return "\(error.message) \((details.prefix(20) + [error.remedy ?? ""]).joined(separator: " "))"
            .trimmingCharacters(in: .whitespaces)
    }

    static func known(_ error: any Error) -> FarewellError {
        error as? FarewellError ?? FarewellError("run.failed", .ours, "The erasure failed for an unexpected reason.")
    }
}

/// Says in words how the schema has changed since a run began.
struct SchemaDrift: Sendable {
    let context: ErasureContext

    func differences(since fingerprint: String) async throws -> [String] {
        try await context.database.withConnection { connection in
            guard let text = try await connection.run(context.control.snapshot(of: fingerprint)).scalar?.text else {
                return []
            }
            let before = try JSONDecoder().decode(Schema.self, from: Data(text.utf8))
            let now = try await Schema.read(from: connection)
            return before.differences(to: now).map { "\($0)" }
        }
    }
}
