// SPDX-License-Identifier: Apache-2.0
import Farewell

/// One thing wrong with a plan file, and where. Safe to log.
public struct PlanProblem: Sendable, Hashable {
    /// Counted from 1.
    public let line: Int
    /// Counted from 1, in Unicode scalars.
    public let column: Int
    /// One sentence.
    public let message: String

    init(_ line: Int, _ column: Int, _ message: String) {
        self.line = line
        self.column = column
        self.message = message
    }
}

extension PlanProblem {
    /// How many problems one error names; the rest is counted.
    private static let named = 20

    /// All problems of a file as the one error its reader throws, one line each: `farewell.yaml:12:5: …`.
    static func error(_ problems: [PlanProblem], path: String) -> FarewellError {
        let file = Shown.line(path, limit: 200)
        let ordered = problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        var lines = ordered.prefix(named).map { $0.told(of: file) }
        if ordered.count > named { lines.append("\(file): and \(ordered.count - named) more problems.") }
        return FarewellError(
            "plan.unreadable", .yoursToFix, lines.joined(separator: "\n"),
            remedy: "Correct the plan file; with docs/farewell.schema.json an editor shows such mistakes.")
    }
}
