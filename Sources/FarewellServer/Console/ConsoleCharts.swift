// SPDX-License-Identifier: Apache-2.0

import FarewellErasure

/// The charts of the last days, as rectangles and as the tables beside them. A decision only.
enum ConsoleCharts {
    /// Room for the bars, in units of the picture: 14 days take 560.
    private static let (left, top, height, dayWidth) = (60, 10, 120, 40)
    /// How many systems have a colour of their own; the rest are one.
    private static let mostSystems = 5

    static func values(_ days: [ErasureDay]) -> [String: Any] {
        pace(days).merging(failures(days)) { $1 }
    }

    // MARK: Throughput

    private static func pace(_ days: [ErasureDay]) -> [String: Any] {
        let most = max(days.map { max($0.asked, $0.done) }.max() ?? 0, 1)
        let bars = days.enumerated().flatMap { index, day in
            [
                bar(index, offset: 4, width: 14, from: 0, to: day.asked, of: most, kind: "asked"),
                bar(index, offset: 20, width: 14, from: 0, to: day.done, of: most, kind: "finished"),
            ]
        }
        return [
            "hasDays": days.contains { $0.asked + $0.done + $0.cancelled > 0 }, "dayBars": bars,
            "dayLabels": labels(days), "dayTop": String(most),
            "days": days.reversed().map { day in
                [
                    "day": day.day, "asked": String(day.asked), "done": String(day.done),
                    "cancelled": String(day.cancelled),
                ]
            },
        ]
    }

    // MARK: Failures

    private static func failures(_ days: [ErasureDay]) -> [String: Any] {
        var totals: [String: Int] = [:]
        for day in days { totals.merge(day.failures, uniquingKeysWith: +) }
        let byCount = totals.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        var systems = byCount.prefix(mostSystems).map(\.key)
        let rest = Set(byCount.dropFirst(mostSystems).map(\.key))
        if !rest.isEmpty { systems.append("others") }
        let rows = days.map { day in
            systems.map { system in
                system == "others" && !rest.isEmpty
                    ? rest.reduce(0) { $0 + (day.failures[$1] ?? 0) } : day.failures[system] ?? 0
            }
        }
        let most = max(rows.map { $0.reduce(0, +) }.max() ?? 0, 1)
        var bars: [[String: String]] = []
        for (index, row) in rows.enumerated() {
            var below = 0
            for (system, count) in row.enumerated() where count > 0 {
                bars.append(
                    bar(index, offset: 8, width: 24, from: below, to: below + count, of: most, kind: "kind\(system)"))
                below += count
            }
        }
        return [
            "hasFailures": !systems.isEmpty, "failureBars": bars, "failureTop": String(most),
            "systems": systems.enumerated().map { index, name in ["name": name, "kind": "kind\(index)"] },
            "failureRows": zip(days, rows).reversed().map { day, row -> [String: Any] in
                ["day": day.day, "cells": row.map { ["count": String($0)] }]
            },
        ]
    }

    // MARK: Geometry

    private static func bar(
        _ day: Int, offset: Int, width: Int, from: Int, to: Int, of most: Int, kind: String
    ) -> [String: String] {
        let (low, high) = (from * height / most, to * height / most)
        return [
            "x": String(left + day * dayWidth + offset), "y": String(top + height - high), "width": String(width),
            "height": String(high - low), "kind": kind,
        ]
    }

    /// Every second day has its name, as month and day.
    private static func labels(_ days: [ErasureDay]) -> [[String: String]] {
        days.enumerated().filter { ($0.offset + days.count) % 2 == 1 }.map { index, day in
            ["x": String(left + index * dayWidth + 20), "text": String(day.day.dropFirst(5))]
        }
    }
}
