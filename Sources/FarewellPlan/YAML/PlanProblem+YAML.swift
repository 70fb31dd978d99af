// SPDX-License-Identifier: Apache-2.0
import Farewell
package import Yams

extension PlanProblem {
    /// A problem in a part of a YAML document, with the place where that begins.
    package init(_ message: String, at node: Node?) {
        self.init(node?.mark?.line ?? 1, node?.mark?.column ?? 1, message)
    }

    /// A YAML parser's error about a text, with its place; nil for another error. The parser's own messages contain no
    /// values.
    package init?(parsing text: String, failedBy error: any Error) {
        guard let error = error as? YamlError else { return nil }
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(mark.line, mark.column, "This is not YAML: \(problem).")
        case .reader(let problem, let offset, _, _):
            let before = text.prefix(offset ?? 0).split(separator: "\n", omittingEmptySubsequences: false)
            let column = before.last?.unicodeScalars.count ?? 0
            self.init(max(1, before.count), column + 1, "This is not YAML: \(problem).")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.prefix(5).map { Shown.name($0) }.joined(separator: ", ")
            self.init(context.mark.line, context.mark.column, "The key \(keys) appears twice.")
        default:
            self.init(1, 1, "The file is not YAML or is nested too deeply.")
        }
    }

    /// In the form of editors and compilers: `farewell.yaml:12:5: …`.
    package func told(of file: String) -> String { "\(file):\(line):\(column): \(message)" }
}
