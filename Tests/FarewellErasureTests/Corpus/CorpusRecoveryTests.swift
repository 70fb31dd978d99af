// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import PlanCorpus
import TestFixtures
import Testing

/// All keys are dropped, and a draft is held against what the schemas' authors know.
@Suite("Dropped keys are found again")
struct CorpusRecoveryTests {
    @Test("PL-7 links to the subject are found by name and type, more with a sample, and no false link is assumed")
    func found() async throws {
        var (byName, sampled) = (CorpusRecovery(), CorpusRecovery())
        for schema in CorpusSchema.written + [.generated(tables: 200)] {
            let measurement = CorpusMeasurement(schema)
            let kind: PlanDatabase = measurement.dialect == .sqlite ? .sqlite : .postgresql
            let found = Guarded<CorpusMeasurement.Result?>(nil)
            try await kind.with { database in
                let result = try await measurement.result(in: database)
                found.withLock { $0 = result }
            }
            let result = try #require(found.withLock { $0 })
            #expect(result.byName.wronglyAccepted == [], "\(measurement.title)")
            #expect(result.sampled.wronglyAccepted == [], "\(measurement.title)")
            // The generated one is easy, and large enough to hide the others.
            guard schema.name != "generated" else {
                #expect(result.byName.recall >= 0.95 && result.sampled.recall >= 0.99, "missed: \(result.byName.missed)")
                continue
            }
            byName = byName + result.byName
            sampled = sampled + result.sampled
        }
        #expect(byName.recall >= 0.95, "missed by name: \(byName.missed)")
        #expect(sampled.recall >= 0.99, "missed with a sample: \(sampled.missed)")
        #expect(byName.precision >= 0.8, "proposed beside the truth: \(byName.surplus)")
    }
}
