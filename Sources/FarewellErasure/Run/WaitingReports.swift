// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The reports that have come for the steps of an erasure that is about to be parked or handed back.
///
/// Both happen in a transaction that first changes the erasure's row, which keeping a report locks: a report is kept
/// before, and is found here, or afterwards, and then `ErasureRequests.hear` finds the erasure parked or paused.
struct WaitingReports: Sendable {
    let context: ErasureContext

    /// The steps that wait for a report which has come, and which their last attempt has not seen.
    ///
    /// A step without a connector that calls back could never read its report, so none counts.
    ///
    /// - Parameter isAwaited: Whether a step with this progress waits for its report.
    func steps(
        of id: UUID, _ isAwaited: (StepProgress) -> Bool, on connection: any SQLConnection
    ) async throws -> [String] {
        let reports = try await context.control.reports(of: id).run(on: connection)
        guard !reports.isEmpty else { return [] }
        let readers = Set(
            context.prepared.plan.systems.filter { context.connectors[$0.name] is any CalledBackConnector }
                .map(\.step))
        return try await context.control.steps.records(of: id).run(on: connection).filter { step in
            guard let progress = step.progress, progress.cursor != nil, readers.contains(step.name),
                isAwaited(progress)
            else { return false }
            return reports.contains {
                SystemErasure.isReport($0, step: step.name, round: progress.round ?? 0)
            }
        }.map(\.name)
    }
}

extension StepProgress {
    /// Whether the step waited for its system's report when its last attempt ended: those attempts did not fail for
    /// another reason.
    var isReportDue: Bool { isUnreported == true || awaitsReport == true }

    /// Whether an erasure that is parked because of an error with this code is parked for want of this step's report.
    func isParkedUnreported(because code: FarewellError.Code) -> Bool {
        isUnreported == true || awaitsReport == true && code == "connector.pending"
    }
}
