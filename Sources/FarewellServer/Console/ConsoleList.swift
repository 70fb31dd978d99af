// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import Foundation

/// The erasures as the console shows them. A decision only: filtered, counted, and set against their due dates.
struct ConsoleList {
    let values: [String: Any]

    /// - Parameters:
    ///   - state: Only those in this state; empty shows all.
    ///   - search: Only those whose number or keyed hash begins so.
    init(_ erasures: [RequestedErasure], state: String, search: String, now: Date) {
        let search = search.lowercased().trimmingCharacters(in: .whitespaces)
        let found = erasures.filter { erasure in
            (state.isEmpty || erasure.state.rawValue == state)
                && (search.isEmpty || erasure.id.text.hasPrefix(search)
                    || erasure.status.erasure.subjectHash.lowercased().hasPrefix(search))
        }
        let living = erasures.filter(\.state.isLive)
        let due = living.compactMap { erasure in erasure.dueAt.map { (erasure, $0) } }.sorted { $0.1 < $1.1 }.prefix(20)
        let working = living.filter { $0.status.erasure.owner != nil }
        values = [
            "states": ErasureState.allCases.map { one in
                ["state": one.rawValue, "selected": one.rawValue == state ? "selected" : ""]
            },
            "search": search, "runs": found.map { Self.row($0) }, "hasRuns": !found.isEmpty,
            "counts": ErasureState.allCases.map { one in
                ["state": one.rawValue, "count": String(erasures.count { $0.state == one })]
            },
            "due": due.enumerated().map { index, entry in Self.bar(entry.0, entry.1, index, now) },
            "hasDue": !due.isEmpty, "dueHeight": String(due.count * 28 + 4),
            "workers": working.map { erasure in
                [
                    "id": erasure.id.text, "owner": erasure.status.erasure.owner ?? "",
                    "until": erasure.status.erasure.leaseUntil.map(AccountPages.readable) ?? "–",
                    "epoch": String(erasure.status.erasure.epoch),
                ]
            },
            "hasWorkers": !working.isEmpty,
        ]
    }

    private static func row(_ erasure: RequestedErasure) -> [String: String] {
        let record = erasure.status.erasure
        return [
            "id": record.id.text, "state": record.state.rawValue,
            "held": erasure.holdReason != nil && record.state.isLive ? "held" : "",
            "requested": AccountPages.readable(record.requestedAt), "cause": record.cause ?? "",
            "due": record.state.isLive ? erasure.dueAt.map(AccountPages.readable) ?? "–" : "–",
        ]
    }

    /// How much of its time an erasure has used up, of 400 units of the picture.
    static func bar(_ erasure: RequestedErasure, _ due: Date, _ index: Int, _ now: Date) -> [String: String] {
        let begin = erasure.status.erasure.requestedAt
        let whole = max(due.timeIntervalSince(begin), 1)
        let used = min(max(now.timeIntervalSince(begin) / whole, 0), 1)
        let left = Int((due.timeIntervalSince(now) / 86_400).rounded(.down))
        return [
            "id": erasure.id.text, "short": String(erasure.id.text.prefix(8)),
            "y": String(index * 28 + 4), "textY": String(index * 28 + 19), "width": String(max(Int(used * 400), 2)),
            "kind": left < 0 ? "late" : left < 5 ? "soon" : "fine", "left": String(left),
            "date": AccountPages.readable(due),
        ]
    }

    static func values(of erasure: RequestedErasure, now: Date) -> [String: Any] {
        let record = erasure.status.erasure
        var values: [String: Any] = row(erasure)
        values["hash"] = record.subjectHash
        values["attempts"] = String(record.attempts)
        values["owner"] = record.owner ?? "–"
        values["finished"] = record.finishedAt.map(AccountPages.readable) ?? "–"
        values["isLive"] = record.state.isLive
        values["isHeld"] = record.state.isLive && erasure.holdReason != nil
        values["holdReason"] = erasure.holdReason ?? ""
        values["hasCause"] = record.cause != nil
        values["steps"] = erasure.status.steps.map { step in
            [
                "name": step.name, "state": step.state.rawValue, "attempts": String(step.attempts),
                "started": AccountPages.readable(step.startedAt),
                "finished": step.finishedAt.map(AccountPages.readable) ?? "–",
                "counts": step.counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
                    separator: ", "),
            ]
        }
        return values
    }
}
