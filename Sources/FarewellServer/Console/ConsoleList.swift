// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation

/// The erasures as the console shows them. A decision only: in words, and set against their due dates.
enum ConsoleList {
    /// - Parameters:
    ///   - found: The erasures that the filter returned.
    ///   - keeping: Those of them whose account, in another database than the rows, is still there.
    ///   - state: The filter's state; nil shows all.
    ///   - search: The searched beginning of numbers or keyed hashes.
    static func values(
        _ overview: ErasureOverview, _ found: [RequestedErasure], keepingAccounts keeping: Set<UUID>,
        state: ErasureState?,
        search: String
    ) -> [String: Any] {
        [
            "states": ErasureState.allCases.map { one in
                ["state": one.rawValue, "selected": one == state ? "selected" : ""]
            },
            "search": search, "isFiltered": state != nil || !search.isEmpty, "hasRuns": !found.isEmpty,
            "runs": found.map { erasure -> [String: Any] in
                var row: [String: Any] = Self.row(erasure, keepsAccount: keeping.contains(erasure.id))
                row["isParked"] = erasure.state == .needsAttention
                return row
            },
            "hasParked": found.contains { $0.state == .needsAttention },
            "counts": ErasureState.allCases.map { one in
                ["state": one.rawValue, "count": String(overview.counts[one] ?? 0)]
            },
        ]
    }

    /// How many erasures there are in a state, or in all of them.
    static func total(_ overview: ErasureOverview, _ state: ErasureState?) -> Int {
        state.map { overview.counts[$0] ?? 0 } ?? overview.counts.values.reduce(0, +)
    }

    /// A sentence about the entries that the list leaves out; nil if it is complete.
    ///
    /// - Parameter total: The number of all entries; nil if they are not counted.
    static func rest(shown: Int, of total: Int?) -> String? {
        guard let total else {
            return shown < ConsolePages.most ? nil : "The newest \(shown) that fit. A longer beginning finds fewer."
        }
        return total > shown ? "The newest \(shown) of \(total). Choose a state, or search by number." : nil
    }

    /// The unfinished erasures by their due dates.
    static func due(_ overview: ErasureOverview, now: Date) -> [String: Any] {
        let due = overview.due.compactMap { erasure in erasure.dueAt.map { (erasure, $0) } }
        return [
            "due": due.enumerated().map { index, entry in Self.bar(entry.0, entry.1, index, now) },
            "hasDue": !due.isEmpty, "dueHeight": String(due.count * 28 + 24),
            "dueTicks": stride(from: 0, through: 30, by: 10).map { day in
                [
                    "x": String(Self.x(day: Double(day))), "text": day == 0 ? "requested" : "\(day) days",
                    "y": String(due.count * 28 + 18), "bottom": String(due.count * 28 + 4),
                ]
            },
        ]
    }

    /// The leases, and the events on their way.
    static func work(_ overview: ErasureOverview) -> [String: Any] {
        [
            "workers": overview.leased.map { record in
                [
                    "id": record.id.text, "owner": record.owner ?? "",
                    "until": record.leaseUntil.map(AccountPages.readable) ?? "–", "epoch": String(record.epoch),
                ]
            },
            "hasWorkers": !overview.leased.isEmpty,
            "outbox": overview.outbox.map { one -> [String: Any] in
                [
                    "endpoint": one.name, "waiting": String(one.waiting), "delivered": String(one.delivered),
                    "dead": String(one.dead), "hasDead": one.dead > 0,
                ]
            },
            "hasOutbox": !overview.outbox.isEmpty,
            "letters": overview.letters.map { letter in
                [
                    "endpoint": letter.endpoint, "event": letter.kind.rawValue, "attempts": String(letter.attempts),
                    "reason": letter.reason, "id": letter.erasure.text,
                ]
            },
        ]
    }

    /// The position of a day after the request: the picture is 30 days wide, the longest that a deletion may take
    /// (SV-7).
    private static func x(day: Double) -> Int { 90 + Int((min(max(day, 0), 30) / 30 * 400).rounded()) }

    /// As much of a number as a list has room for: enough to search by.
    private static func short(_ id: UUID) -> String { String(id.text.prefix(8)) }

    /// Until the account is gone as well an erasure is not said to be over, here as elsewhere.
    private static func row(_ erasure: RequestedErasure, keepsAccount: Bool) -> [String: String] {
        let record = erasure.status.erasure
        let cause = keepsAccount ? "the account is still there" : erasure.status.parkedCause ?? erasure.status.rest
        return [
            "id": record.id.text, "short": short(record.id),
            "state": (keepsAccount ? ErasureState.verifying : record.state).rawValue,
            "held": erasure.holdReason != nil && record.state.isLive ? "held" : "",
            "requested": AccountPages.readable(record.requestedAt), "cause": cause ?? "",
            "due": record.state.isLive ? erasure.dueAt.map(AccountPages.readable) ?? "–" : "–",
        ]
    }

    /// How much of the thirty days an erasure has used up, and where among them it is due.
    static func bar(_ erasure: RequestedErasure, _ due: Date, _ index: Int, _ now: Date) -> [String: String] {
        let begin = erasure.status.erasure.requestedAt
        let left = Int((due.timeIntervalSince(now) / 86_400).rounded(.down))
        let used = x(day: now.timeIntervalSince(begin) / 86_400)
        return [
            "id": erasure.id.text, "short": short(erasure.id),
            "y": String(index * 28 + 4), "textY": String(index * 28 + 19), "width": String(max(used - 90, 2)),
            "dueX": String(x(day: due.timeIntervalSince(begin) / 86_400)), "dueBottom": String(index * 28 + 28),
            "kind": left < 0 ? "late" : left < 5 ? "soon" : "fine", "left": String(left),
            "words": left < 0 ? "\(-left) days late" : left == 1 ? "1 day left" : "\(left) days left",
            "date": AccountPages.readable(due),
        ]
    }

    static func values(of erasure: RequestedErasure, keepsAccount: Bool) -> [String: Any] {
        let record = erasure.status.erasure
        let row = Self.row(erasure, keepsAccount: keepsAccount)
        var values: [String: Any] = row
        values["hash"] = record.subjectHash
        values["attempts"] = String(record.attempts)
        values["owner"] = record.owner ?? "–"
        values["finished"] = keepsAccount ? "–" : record.finishedAt.map(AccountPages.readable) ?? "–"
        values["isLive"] = record.state.isLive
        values["isParked"] = record.state == .needsAttention
        values["isHeld"] = record.state.isLive && erasure.holdReason != nil
        values["holdReason"] = erasure.holdReason ?? ""
        values["hasCause"] = row["cause"]?.isEmpty == false
        values["hasSteps"] = !erasure.status.steps.isEmpty
        values["steps"] = erasure.status.steps.map { step in
            [
                "name": step.name, "state": erasure.status.condition(of: step).rawValue,
                "attempts": String(step.attempts),
                "started": AccountPages.readable(step.startedAt),
                "finished": step.finishedAt.map(AccountPages.readable) ?? "–",
                "counts": step.counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
                    separator: ", "),
            ]
        }
        return values
    }
}
