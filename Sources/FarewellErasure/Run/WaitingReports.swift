// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The reports that have come for the steps of an erasure that is about to be parked or handed back.
///
/// Both happen in a transaction that first changes the erasure's row, which keeping a report locks: a report is kept
/// before, and is found here, or afterwards, and then `ErasureRequests.hear` finds the erasure parked or paused.
struct WaitingReports: Sendable {
    let control: ControlStore

    /// Whether a report has come that a step waits for, and that its last attempt has not seen.
    ///
    /// - Parameter isAwaited: Whether a step with this progress waits for its report.
    func haveCome(
        for id: UUID, _ isAwaited: (StepProgress) -> Bool, on connection: any SQLConnection
    ) async throws -> Bool {
        let reports = try await control.reports(of: id).run(on: connection)
        guard !reports.isEmpty else { return false }
        return try await control.steps.records(of: id).run(on: connection).contains { step in
            guard let progress = step.progress, progress.cursor != nil, isAwaited(progress) else { return false }
            return reports.contains {
                SystemErasure.isReport($0, step: step.name, round: progress.round ?? 0)
            }
        }
    }
}

extension StepProgress {
    /// Whether an erasure that is parked because of an error with this code is parked for want of this step's report.
    func isParkedUnreported(because code: FarewellError.Code) -> Bool {
        isUnreported == true || awaitsReport == true && code == "connector.pending"
    }
}
