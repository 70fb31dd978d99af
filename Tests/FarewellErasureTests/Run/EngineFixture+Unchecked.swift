// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures

extension EngineFixture {
    /// An engine whose plan was not checked against the schema.
    func uncheckedEngine(_ plan: Plan) async throws -> ErasureEngine {
        let checked = try await engine()
        let schema = try await Schema.read(from: database)
        let prepared = try PreparedPlan(
            plan: plan, schema: schema, planFingerprint: PlanFingerprint.of(plan),
            schemaFingerprint: schema.fingerprint, stamp: checked.prepared.stamp)
        return ErasureEngine(
            database: database, prepared: prepared, control: checked.control, keys: checked.keys,
            environment: checked.environment)
    }
}
