// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import TestFixtures

extension EngineFixture {
    /// An engine whose plan was not checked against the schema, but whose transactions are compared with it.
    func guardedEngine(_ plan: Plan) async throws -> ErasureEngine {
        let control = ControlStore(dialect: dialect)
        let keys = try await database.transaction { connection in
            try await control.migrations.apply(on: connection, now: .timestamp(clock.now))
            return try KeyStore.prepared(in: StateDirectory.prepared(at: state), now: { clock.now })
        }
        let schema = try await Schema.read(from: database)
        let stamp = try await database.withConnection { try await $0.run(SchemaStamp(dialect: dialect).read).scalar ?? .null }
        var prepared = try PreparedPlan(
            plan: plan, schema: schema, planFingerprint: PlanFingerprint.of(plan),
            schemaFingerprint: schema.fingerprint, stamp: stamp)
        prepared.counters = try await database.withConnection {
            try await ChangeCounters.prepared(for: schema, truncated: schema.truncated, on: $0)
        }
        return ErasureEngine(
            database: database, prepared: prepared, control: control, keys: keys, environment: environment())
    }
}
