// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The pauses for which third-party systems have asked, as the steps of an erasure record them.
///
/// The report of one system ends its own pause only: another system must not be called before its own is over.
struct AskedPauses: Sendable {
    let control: ControlStore
    /// The time by this process's clock, by which the pauses were recorded.
    let now: Date

    /// The seconds until the last of them is over; 0 if none is left.
    ///
    /// - Parameter reported: The steps whose systems have reported.
    func seconds(
        of id: UUID, besides reported: [String], on connection: any SQLConnection
    ) async throws -> Double {
        let steps = try await control.steps.records(of: id).run(on: connection)
        let ends = steps.filter { !reported.contains($0.name) }.compactMap { $0.progress?.pausedUntil }
        return max((ends.max() ?? 0) - now.timeIntervalSince1970, 0)
    }
}

extension ErasureContext {
    var askedPauses: AskedPauses { AskedPauses(control: control, now: environment.wall()) }
}
