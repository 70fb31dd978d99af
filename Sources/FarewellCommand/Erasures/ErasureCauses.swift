// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure

/// Why erasures of one call did not end, each cause once, the most frequent first.
struct ErasureCauses {
    private let counts: [(cause: Cause, count: Int)]

    private struct Cause: Hashable {
        let message: String
        let remedy: String?
    }

    /// How many causes are shown.
    private static let most = 5

    init(_ outcomes: [ErasureOutcome]) {
        var counts: [Cause: Int] = [:]
        for outcome in outcomes {
            switch outcome {
            case .unfinished(_, _, let error):
                counts[Cause(message: error.message, remedy: error.remedy), default: 0] += 1
            case .parked(_, let cause): counts[Cause(message: cause, remedy: nil), default: 0] += 1
            case .done, .interrupted, .running, .unknown: break
            }
        }
        self.counts = counts.map { ($0, $1) }.sorted { ($1.1, $0.0.message) < ($0.1, $1.0.message) }
    }

    /// The lines that a terminal shows of them.
    var lines: [String] {
        var lines: [String] = []
        for (cause, count) in counts.prefix(Self.most) {
            lines.append("  ! \(Terminal.printable(cause.message)) (\(Words.count(count, "erasure")))")
            if let remedy = cause.remedy { lines.append("    → " + Terminal.printable(remedy)) }
        }
        let others = counts.count - Self.most
        if others > 0 { lines.append("  and \(Words.count(others, "other cause")): see farewell status.") }
        return lines
    }
}
