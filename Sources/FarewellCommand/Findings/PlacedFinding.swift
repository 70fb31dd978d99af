// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import Foundation

/// A finding with the file and the line of the plan that it concerns.
struct PlacedFinding: Sendable {
    let finding: Finding
    /// The plan file, relative to the current directory if it is below it.
    let file: String
    /// Counted from 1.
    let line: Int

    /// The finding and its remedy.
    var text: String {
        "\(finding.place): \(finding.message)" + (finding.remedy.map { " \($0)" } ?? "")
    }

    /// - Parameter plan: The path of the plan file.
    static func all(_ findings: [Finding], plan: String) -> [PlacedFinding] {
        let text = (try? PlanFile.bytes(path: plan)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = PlanLines(text)
        let file = relative(plan)
        return findings.map { PlacedFinding(finding: $0, file: file, line: lines.line(of: $0)) }
    }

    /// Programs that read findings expect paths below the checkout, in which they run the command.
    static func relative(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        let below = path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
        return below.hasPrefix("./") ? String(below.dropFirst(2)) : below
    }
}
