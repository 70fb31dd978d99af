// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The results, as a table in Markdown: each line a figure of Farewell beside its baseline.
struct Report {
    struct Line: Sendable {
        var what: String
        var ours: String
        var baseline: String
        /// Farewell divided by the baseline.
        var ratio: Double?
        var target: Target = .none
        /// The ratio of each round, where there were several: how much the machine drifted.
        var rounds: [Double] = []
    }

    /// The expected ratio.
    enum Target: Sendable {
        case none
        case atMost(Double)
        case atLeast(Double)
        case within(Double)

        func isMet(_ ratio: Double) -> Bool? {
            switch self {
            case .none: nil
            case .atMost(let most): ratio <= most
            case .atLeast(let least): ratio >= least
            case .within(let share): abs(ratio - 1) <= share
            }
        }

        var text: String {
            switch self {
            case .none: ""
            case .atMost(let most): "≤ \(most.short)"
            case .atLeast(let least): "≥ \(least.short)"
            case .within(let share): "1 ± \(share.short)"
            }
        }
    }

    let lines: [Line]

    var text: String {
        let rows = lines.map { line in
            let verdict = line.ratio.flatMap { line.target.isMet($0) }.map { $0 ? "met" : "MISSED" } ?? ""
            let range =
                line.rounds.count > 1
                ? " (\((line.rounds.min() ?? 0).short)–\((line.rounds.max() ?? 0).short))" : ""
            return [
                line.what, line.ours, line.baseline, (line.ratio?.short ?? "") + range, line.target.text, verdict,
            ]
        }
        let table = [["what", "Farewell", "baseline", "ratio (of rounds)", "target", ""]] + rows
        return table.enumerated().map { place, cells in
            let row = "| " + cells.joined(separator: " | ") + " |"
            return place == 0 ? row + "\n|" + cells.map { _ in "---|" }.joined() : row
        }.joined(separator: "\n")
    }
}

extension Double {
    /// Two decimals below ten, one below a hundred, none above.
    var short: String {
        let digits = abs(self) < 10 ? 2 : abs(self) < 100 ? 1 : 0
        return String(format: "%.\(digits)f", self)
    }
}
