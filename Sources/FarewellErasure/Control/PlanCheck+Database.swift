// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellPlan
public import FarewellSQL

extension PlanCheck {
    /// The same, together with checks that only the database itself can make. Reads no row of any table of subjects,
    /// except whether one exists that a link's `set:`, a default or a constant of a key leads to.
    public static func findings(
        _ plan: Plan, _ schema: Schema, fingerprint: String? = nil, on database: any SQLDatabase
    ) async throws -> [Finding] {
        let found = findings(plan, schema, fingerprint: fingerprint)
        let asked = try await database.withConnection { connection in
            let strangers = try await ForeignTables(dialect: connection.dialect).finding(on: connection)
            return try await ConstantProbe(plan, schema).findings(on: connection)
                + StandInProbe(plan, schema).findings(on: connection)
                + NullProbe(plan, schema).findings(on: connection)
                + TargetProbe(plan, schema).findings(on: connection)
                + VendorBuckets(plan, schema).findings(on: connection) + [strangers].compactMap(\.self)
        }
        return asked.isEmpty ? found : ordered(found + asked)
    }
}
