// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import Foundation
import Testing

@Suite("The fingerprint of a plan")
struct PlanFingerprintTests {
    @Test(
        "PK-2 a plan of each release has the fingerprint that erasures and receipts recorded, whatever its comments say",
        arguments: ["0.1.0-rc.1", "0.1.0"],
        [
            ("sqlite", "sha256:8bef01c6be8aa1ce5c49cb6d1c7f0bd014e8ef55d5da61969dc97f853c987d9c"),
            ("postgresql", "sha256:a697734a9efd87371ce7fc32806376af25445947147d9b1831269fcc8688c1e3"),
        ])
    func release(_ release: String, _ recorded: (kind: String, fingerprint: String)) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let plan = try PlanFile.load(path: tests.appending(path: "Releases/\(release)/\(recorded.kind)/farewell.yaml").path)
        #expect(PlanFingerprint.of(plan) == recorded.fingerprint)
    }
}
