// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan

/// Findings as workflow commands of GitHub Actions, one on each line.
///
/// Source: <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>.
enum GitHubAnnotations {
    static func text(_ findings: [PlacedFinding]) -> String {
        findings.map { placed in
            command(
                level(placed.finding.severity), file: placed.file, line: placed.line,
                title: placed.finding.code.rawValue, placed.text)
        }.joined()
    }

    private static func command(_ level: String, file: String, line: Int, title: String, _ message: String) -> String {
        "::\(level) file=\(property(file)),line=\(line),title=\(property(title))::\(data(message))\n"
    }

    private static func level(_ severity: Finding.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .note: "notice"
        }
    }

    private static func data(_ text: String) -> String {
        escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A"])
    }

    private static func property(_ text: String) -> String {
        escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
    }

    private static func escaped(_ text: String, _ escapes: [Unicode.Scalar: String]) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if let escape = escapes[scalar] { result += escape } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
