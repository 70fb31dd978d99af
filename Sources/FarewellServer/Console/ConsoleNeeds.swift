// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation

/// The top of the console: the conditions that an operator must end, and the speed of the last day. A decision only.
enum ConsoleNeeds {
    /// - Parameters:
    ///   - parked: Erasures that need attention, newest first.
    ///   - overdue: How many erasures are overdue in all.
    ///   - today: The counts of the present day.
    ///   - isUnfit: Whether erasures wait because the plan does not fit the database or is not the newest.
    static func values(
        _ overview: ErasureOverview, parked: [RequestedErasure], overdue: Int = 0, today: ErasureDay?, isUnfit: Bool,
        now: Date
    ) -> [String: Any] {
        let late = late(overview, now)
        var needs = parked.map(Self.parked)
        needs += more("Parked", parked.count, of: overview.counts[.needsAttention] ?? 0, at: ConsolePages.parked)
        needs += late + more("Overdue", late.count, of: overdue, at: ConsolePages.activityPath)
        needs += systems(today) + letters(overview)
        if !isUnfit { needs += idle(overview, now) }
        return ["needs": needs, "hasNeeds": !needs.isEmpty]
    }

    /// The number of those that are left out, and the page that shows them.
    private static func more(_ what: String, _ shown: Int, of total: Int, at page: String) -> [[String: Any]] {
        guard total > shown else { return [] }
        let text = shown == 0 ? "\(total) in all." : "\(shown) of \(total) are named here."
        return [["what": what, "text": text, "showAll": page]]
    }

    private static func parked(_ erasure: RequestedErasure) -> [String: Any] {
        var need = need("Parked", erasure.status.parkedCause ?? "", of: erasure)
        need["isParked"] = true
        return need
    }

    private static func late(_ overview: ErasureOverview, _ now: Date) -> [[String: Any]] {
        overview.due.compactMap { erasure in
            guard let due = erasure.dueAt, due < now, erasure.state != .needsAttention else { return nil }
            let held = erasure.holdReason == nil ? "" : ", on hold"
            let text = "Due at \(AccountPages.readable(due)); \(erasure.state.rawValue)\(held)."
            return need("Overdue", text, of: erasure)
        }
    }

    private static func systems(_ today: ErasureDay?) -> [[String: Any]] {
        (today?.failures ?? [:]).sorted { $0.key < $1.key }.filter { $0.value > 0 }.map { system, count in
            let tries = count == 1 ? "1 failed attempt" : "\(count) failed attempts"
            return [
                "what": "Failing: \(system)",
                "text":
                    "\(tries) today. Farewell tries again, except where an erasure is parked. An erasure's page "
                    + "shows the cause.",
            ]
        }
    }

    private static func letters(_ overview: ErasureOverview) -> [[String: Any]] {
        overview.outbox.filter { $0.dead > 0 }.map { receiver in
            [
                "what": "Undelivered: \(receiver.name)",
                "text":
                    "\(receiver.dead) \(receiver.dead == 1 ? "event" : "events") could not be delivered. Correct the "
                    + "receiver, then deliver again.", "endpoint": receiver.name,
            ]
        }
    }

    /// Erasures that no worker has taken for a minute.
    private static func idle(_ overview: ErasureOverview, _ now: Date) -> [[String: Any]] {
        let waiting = overview.due.filter { erasure in
            erasure.state == .requested && erasure.holdReason == nil
                && now.timeIntervalSince(erasure.status.erasure.requestedAt) > 60
        }
        guard overview.leased.isEmpty, !waiting.isEmpty else { return [] }
        return [
            [
                "what": "No worker",
                "text":
                    "Erasures wait, and no worker takes them. Run farewell work, or set erasures.concurrency above 0.",
            ]
        ]
    }

    private static func need(_ what: String, _ text: String, of erasure: RequestedErasure) -> [String: Any] {
        ["what": what, "text": text, "id": erasure.id.text, "short": String(erasure.id.text.prefix(8))]
    }

    // MARK: Speed

    /// The number of erasures that were completed in the last 24 hours, their median and longest time, and the number
    /// of active workers.
    static func speed(_ overview: ErasureOverview, _ throughput: ErasureThroughput) -> [[String: String]] {
        let workers = Set(overview.leased.compactMap(\.owner)).count
        let none = "–"
        return [
            ["name": "done in 24 hours", "value": String(throughput.done)],
            ["name": "median time", "value": throughput.half.map(readable) ?? none],
            ["name": "longest time", "value": throughput.slowest.map(readable) ?? none],
            ["name": "active workers", "value": String(workers)],
        ]
    }

    static func readable(_ seconds: TimeInterval) -> String {
        switch max(seconds, 0) {
        case ..<1: "\(Int((max(seconds, 0) * 1_000).rounded())) ms"
        case ..<120: "\(Int(seconds.rounded())) s"
        case ..<7_200: "\(Int((seconds / 60).rounded())) min"
        case ..<172_800: "\(Int((seconds / 3_600).rounded())) h"
        default: "\(Int((seconds / 86_400).rounded())) days"
        }
    }
}
