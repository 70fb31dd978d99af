// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The pauses for which third-party systems have asked, as the steps of an erasure record them.
///
/// The report of one system ends its own pause only: another system must not be called before its own is over.
struct AskedPauses: Sendable {
    let context: ErasureContext

    /// The seconds until the last of them is over; 0 if none is left. None is left of a system whose report has come
    /// and was not read yet.
    ///
    /// - Parameter reported: Further steps whose systems have reported.
    func seconds(
        of id: UUID, besides reported: [String], on connection: any SQLConnection
    ) async throws -> Double {
        let unread = try await WaitingReports(context: context).steps(of: id, { $0.isReportDue }, on: connection)
        let over = Set(reported + unread)
        let steps = try await context.control.steps.records(of: id).run(on: connection)
        let ends = steps.filter { !over.contains($0.name) }.compactMap(\.pausedUntil)
        // By the clock of this process, by which the pauses were recorded.
        return max((ends.max() ?? 0) - context.environment.wall().timeIntervalSince1970, 0)
    }
}

extension ErasureContext {
    var askedPauses: AskedPauses { AskedPauses(context: self) }
}
