// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import Foundation
import Testing

@Suite("The fingerprint of a plan")
struct PlanFingerprintTests {
    @Test(
        "a plan of release 0.1.0 has the fingerprint that erasures and receipts recorded, whatever its comments say today",
        arguments: [
            ("sqlite", "sha256:8bef01c6be8aa1ce5c49cb6d1c7f0bd014e8ef55d5da61969dc97f853c987d9c"),
            ("postgresql", "sha256:a697734a9efd87371ce7fc32806376af25445947147d9b1831269fcc8688c1e3"),
        ])
    func release(_ kind: String, _ recorded: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let plan = try PlanFile.load(path: tests.appending(path: "Releases/0.1.0/\(kind)/farewell.yaml").path)
        #expect(PlanFingerprint.of(plan) == recorded)
    }
}
