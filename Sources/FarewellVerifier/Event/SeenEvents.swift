// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The events seen recently, by issuer and identifier: a bounded memory.
struct SeenEvents: Sendable {
    private struct Name: Hashable {
        let issuer: String
        let id: String
    }

    private static let capacity = 100_000
    private var until: [Name: Date] = [:]

    var count: Int { until.count }

    /// Whether the event is new. A logout token is remembered for as long as it would count; others for a day.
    mutating func see(_ event: SecurityEvent, at now: Date, _ settings: VerifierSettings) -> Bool {
        let name = Name(issuer: event.issuer, id: event.id)
        if let known = until[name], known > now { return false }
        if until.count >= Self.capacity { giveWay(at: now) }
        let life = event.kind == .logout ? ClaimRules.logoutLife + 2 * settings.clockSkew.seconds : 86_400
        until[name] = now.addingTimeInterval(life)
        return true
    }

    private mutating func giveWay(at now: Date) {
        until = until.filter { $0.value > now }
        guard until.count >= Self.capacity else { return }
        let limit = until.values.sorted()[Self.capacity / 2]
        until = until.filter { $0.value > limit }
    }
}
