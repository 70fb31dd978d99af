// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation

/// The top of the console: the conditions that an operator must end, and the speed of the last day. A decision only.
enum ConsoleNeeds {
    /// - Parameters:
    ///   - parked: The erasures that need attention, newest first.
    ///   - today: The counts of the present day.
    ///   - isUnfit: Whether erasures wait because the plan does not fit the database.
    static func values(
        _ board: ErasureBoard, parked: [RequestedErasure], today: ErasureDay?, isUnfit: Bool, now: Date
    ) -> [String: Any] {
        let needs =
            parked.map(Self.parked) + late(board, now) + systems(today) + letters(board)
            + (isUnfit ? [] : idle(board, now))
        return ["needs": needs, "hasNeeds": !needs.isEmpty]
    }

    private static func parked(_ erasure: RequestedErasure) -> [String: Any] {
        var need = need("Parked", erasure.status.erasure.cause ?? "", of: erasure)
        need["isParked"] = true
        return need
    }

    private static func late(_ board: ErasureBoard, _ now: Date) -> [[String: Any]] {
        board.due.compactMap { erasure in
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
                "text": "\(tries) today. Farewell tries again; an erasure's page shows the cause.",
            ]
        }
    }

    private static func letters(_ board: ErasureBoard) -> [[String: Any]] {
        board.outbox.filter { $0.dead > 0 }.map { receiver in
            [
                "what": "Undelivered: \(receiver.name)",
                "text":
                    "\(receiver.dead) \(receiver.dead == 1 ? "event" : "events") could not be delivered. Correct the "
                    + "receiver, then deliver again.", "endpoint": receiver.name,
            ]
        }
    }

    /// Erasures that no worker has taken for a minute.
    private static func idle(_ board: ErasureBoard, _ now: Date) -> [[String: Any]] {
        let waiting = board.due.filter { erasure in
            erasure.state == .requested && erasure.holdReason == nil
                && now.timeIntervalSince(erasure.status.erasure.requestedAt) > 60
        }
        guard board.leased.isEmpty, !waiting.isEmpty else { return [] }
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

    /// How many erasures ended in the last 24 hours, how long half of them and the slowest took, and the number of
    /// active workers.
    ///
    /// - Parameter done: The newest completed erasures.
    static func speed(_ board: ErasureBoard, done: [RequestedErasure], now: Date) -> [[String: String]] {
        let times = done.compactMap { erasure -> TimeInterval? in
            let record = erasure.status.erasure
            guard let end = record.finishedAt, now.timeIntervalSince(end) < 86_400 else { return nil }
            return end.timeIntervalSince(record.requestedAt)
        }.sorted()
        let workers = Set(board.leased.compactMap(\.owner)).count
        let none = "–"
        return [
            ["name": "done in 24 hours", "value": String(times.count)],
            ["name": "half of them within", "value": times.isEmpty ? none : readable(times[times.count / 2])],
            ["name": "the slowest in", "value": times.last.map(readable) ?? none],
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
