// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan

/// Findings as JUnit's XML: a test case for each table with findings, which fails by its errors, and by its warnings
/// where those count.
enum JUnitReport {
    /// - Parameter areWarningsFailures: As `--ci` has it.
    static func text(_ findings: [PlacedFinding], areWarningsFailures: Bool) -> String {
        let suites = Dictionary(grouping: findings) { $0.finding.table?.description ?? "the plan" }
        let cases = suites.sorted { $0.key < $1.key }.map { name, found in
            testCase(name, found, areWarningsFailures)
        }
        let failures = cases.filter(\.isFailure).count
        let counts = "tests=\"\(max(cases.count, 1))\" failures=\"\(failures)\" errors=\"0\""
        let all =
            cases.isEmpty ? "    <testcase classname=\"farewell\" name=\"the plan\"/>\n" : cases.map(\.text).joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="farewell check" \(counts)>
              <testsuite name="farewell check" \(counts) skipped="0">
            \(all)  </testsuite>
            </testsuites>

            """
    }

    private static func testCase(
        _ name: String, _ found: [PlacedFinding], _ areWarningsFailures: Bool
    ) -> (text: String, isFailure: Bool) {
        let failing = found.filter {
            $0.finding.severity == .error || areWarningsFailures && $0.finding.severity == .warning
        }
        let other = found.filter { placed in
            !failing.contains { $0.finding == placed.finding }
        }
        let head = "    <testcase classname=\"farewell\" name=\"\(MarkupText.escaped(name))\">\n"
        let failure = failing.first.map { first in
            let lines = MarkupText.escaped(failing.map(line).joined(separator: "\n"))
            let code = MarkupText.escaped(first.finding.code.rawValue)
            let message = MarkupText.escaped(first.text)
            return "      <failure type=\"\(code)\" message=\"\(message)\">\(lines)</failure>\n"
        }
        let output =
            other.isEmpty
            ? "" : "      <system-out>\(MarkupText.escaped(other.map(line).joined(separator: "\n")))</system-out>\n"
        return (head + (failure ?? "") + output + "    </testcase>\n", failure != nil)
    }

    private static func line(_ placed: PlacedFinding) -> String {
        let finding = placed.finding
        return "\(placed.file):\(placed.line): \(finding.severity.rawValue) \(finding.code.rawValue) \(placed.text)"
    }
}
