// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Parks an erasure for an operator, with the cause in words: the one way to park.
struct ErasureParking: Sendable {
    let context: ErasureContext

    func park(_ erasure: OpenedErasure, _ error: FarewellError) async -> ErasureOutcome {
        await park(erasure.record, of: erasure.subject.key.value, error)
    }

    /// - Parameters:
    ///   - record: The erasure under the known lease number; we hold it, or no worker does.
    ///   - subject: The subject's key; `nil` if its sealed form cannot be opened.
    /// - Returns: `.unfinished` if another worker has taken the erasure over, if it could not be parked now, or if the
    ///   system's report for which it would be parked has come meanwhile.
    func park(_ record: ErasureRecord, of subject: SQLValue?, _ error: FarewellError) async -> ErasureOutcome {
        let error = await context.database.namingTrigger(in: error).withRemedy
        let cause = await cause(record, subject, error)
        do {
            if let reason = try await reasonAgainst(record, error, cause) {
                return .unfinished(record.id, subject: subject?.text ?? "", reason)
            }
        } catch {
            return .unfinished(record.id, subject: subject?.text ?? "", Self.known(error))
        }
        await context.observe(.init(erasure: record.id, event: .parked(cause: cause)))
        return .parked(record.id, cause: cause)
    }

    /// Parks the erasure.
    ///
    /// - Returns: Why it is not parked; `nil` if it is.
    private func reasonAgainst(
        _ record: ErasureRecord, _ error: FarewellError, _ cause: String
    ) async throws -> FarewellError? {
        let audit = context.audit
        return try await context.database.transaction { connection in
            let parking = context.control.leases.park(record.id, epoch: record.epoch, cause: cause, code: error.code)
            guard try await parking.run(on: connection) else { return GuardFailure.leaseLost }
            // Only errors of systems: any other comes before a report is read, and would come again without end.
            var reported: [String] = []
            if error.code.rawValue.hasPrefix("connector.") {
                reported = try await WaitingReports(context: context).steps(
                    of: record.id, { $0.isParkedUnreported(because: error.code) }, on: connection)
            }
            guard reported.isEmpty else {
                _ = try await context.control.requests.release(record.id).run(on: connection)
                let seconds = try await context.askedPauses.seconds(of: record.id, besides: reported, on: connection)
                try await connection.run(context.control.leases.endPause(of: record.id, after: seconds))
                return Self.reported
            }
            let act = AuditLog.Act(
                act: "erasure.parked", erasure: record.id, subjectHash: record.subjectHash,
                details: ["cause": error.code.rawValue])
            try await audit.append([act], actor: "engine", at: context.environment.now(), on: connection)
            return nil
        }
    }

    private static let reported = FarewellError(
        SystemRest.code, .tryAgain, "A system reported while the erasure was being parked: the erasure continues.")

    /// The cause in words: for a changed schema with the differences, for a broken key with the rows behind it.
    private func cause(_ record: ErasureRecord, _ subject: SQLValue?, _ error: FarewellError) async -> String {
        var details: [String]?
        var remedy = error.remedy
        switch error.code {
        case "run.schema-changed":
            details = try? await SchemaDrift(context: context).differences(since: record.schemaFingerprint)
        case "sql.23503", "sql.23001":
            guard let subject else { break }
            let search = BlockerSearch(prepared: context.prepared)
            let blockers = try? await context.database.withConnection { connection in
                try await search.blockers(of: [subject], on: connection)
            }
            details = blockers?.map(\.message)
            if let form = blockers?.first(where: \.isLinked) { remedy = form.remedy }
        default: break
        }
        guard let details, !details.isEmpty else { return "\(error)" }
        return "\(error.message) \((details.prefix(20) + [remedy ?? ""]).joined(separator: " "))"
            .trimmingCharacters(in: .whitespaces)
    }

    static func known(_ error: any Error) -> FarewellError {
        error as? FarewellError ?? FarewellError("run.failed", .ours, "The erasure failed for an unexpected reason.")
    }
}
