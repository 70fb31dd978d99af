// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import Foundation

/// A finding with the file and the line of the plan that it concerns.
struct PlacedFinding: Sendable {
    let finding: Finding
    /// The plan file, relative to the checkout or the current directory if it is below it.
    let file: String
    /// Counted from 1.
    let line: Int

    /// The finding and its remedy.
    let text: String

    /// - Parameter plan: The path of the plan file.
    static func all(_ findings: [Finding], plan: String) -> [PlacedFinding] {
        let text = (try? PlanFile.bytes(path: plan)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = PlanLines(text)
        let file = relative(plan)
        return findings.map { finding in
            let text = "\(finding.place): \(finding.message)" + (finding.remedy.map { " \($0)" } ?? "")
            return PlacedFinding(finding: finding, file: file, line: lines.line(of: finding), text: text)
        }
    }

    /// The reasons why nothing was checked: each problem of a plan that cannot be read, or a database that cannot be
    /// used.
    static func all(_ error: FarewellError, plan: String) -> [PlacedFinding] {
        let isUnreadable = error.code == "plan.unreadable"
        let reasons = isUnreadable ? error.message.split(separator: "\n").map(String.init) : [error.message]
        return reasons.map { reason in
            let (line, message) = placed(reason, in: plan)
            let code = Finding.Code(rawValue: error.code.rawValue)
            return PlacedFinding(
                finding: Finding(code, .error, message, remedy: error.remedy), file: relative(plan), line: line,
                text: message + (error.remedy.map { " \($0)" } ?? ""))
        }
    }

    /// The line of a problem that is written `farewell.yaml:12:5: …` (`PlanProblem`), and the problem.
    private static func placed(_ reason: String, in plan: String) -> (line: Int, message: String) {
        let file = Shown.line(plan, limit: 200) + ":"
        let parts = reason.dropFirst(file.count).split(separator: ":", maxSplits: 2)
        guard reason.hasPrefix(file), parts.count == 3, let line = Int(parts[0]), Int(parts[1]) != nil else {
            return (1, reason)
        }
        return (line, String(parts[2].drop { $0 == " " }))
    }

    /// Programs that read findings expect paths below the checkout. GitHub names its folder; elsewhere the command runs
    /// in it.
    static func relative(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath
        let whole = standardized(path.hasPrefix("/") ? path : "\(here)/\(path)")
        for root in [ProcessInfo.processInfo.environment["GITHUB_WORKSPACE"] ?? "", here] where root.hasPrefix("/") {
            let start = standardized(root) + "/"
            if whole.hasPrefix(start) { return String(whole.dropFirst(start.count)) }
        }
        return path
    }

    private static func standardized(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
