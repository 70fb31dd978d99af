// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan

/// Findings as a SARIF 2.1.0 log with one run.
///
/// Source: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
struct SARIFLog: Encodable {
    struct Text: Encodable {
        let text: String
    }

    struct Rule: Encodable {
        let id: String
    }

    struct Driver: Encodable {
        let name = "farewell"
        let version = FarewellVersion.current
        let rules: [Rule]
    }

    struct Tool: Encodable {
        let driver: Driver
    }

    struct Artifact: Encodable {
        let uri: String
    }

    struct Region: Encodable {
        let startLine: Int
    }

    struct Physical: Encodable {
        let artifactLocation: Artifact
        let region: Region
    }

    struct Logical: Encodable {
        let fullyQualifiedName: String
    }

    struct Location: Encodable {
        let physicalLocation: Physical
        let logicalLocations: [Logical]
    }

    struct Result: Encodable {
        let ruleId: String
        let level: String
        let message: Text
        let locations: [Location]
    }

    struct Run: Encodable {
        let tool: Tool
        let results: [Result]
    }

    let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    init(_ findings: [PlacedFinding]) {
        let rules = Set(findings.map(\.finding.code.rawValue)).sorted().map(Rule.init)
        runs = [Run(tool: Tool(driver: Driver(rules: rules)), results: findings.map(Self.result))]
    }

    private static func result(_ placed: PlacedFinding) -> Result {
        let place = Physical(
            artifactLocation: Artifact(uri: PercentEncoding.path(placed.file)), region: Region(startLine: placed.line))
        return Result(
            ruleId: placed.finding.code.rawValue, level: placed.finding.severity.rawValue,
            message: Text(text: placed.text),
            locations: [
                Location(
                    physicalLocation: place,
                    logicalLocations: [Logical(fullyQualifiedName: placed.finding.place)])
            ])
    }
}
