// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellPlan
public import FarewellSQL
import Foundation

extension PlanCheck {
    /// The same, together with checks that only the database itself can make.
    ///
    /// Of tables of subjects it reads whether a row exists that a link's `set:`, a default or a constant of a key leads
    /// to, and what Django's numbers in `where` mean. If `readingKeys`, it also reads some rows that lose a value to
    /// which a check objects or get one by `set:`, and on SQLite every key of the subjects and some other keys.
    public static func findings(
        _ plan: Plan, _ schema: Schema, fingerprint: String? = nil, readingKeys: Bool = true,
        on database: any SQLDatabase
    ) async throws -> [Finding] {
        let found = findings(
            plan, schema, fingerprint: fingerprint,
            differences: await changes(plan, to: schema, fingerprint, on: database))
        let asked = try await database.withConnection { connection in
            let foreign = try await ForeignTables(dialect: connection.dialect).finding(on: connection)
            let missing = try await MissingPartProbe(plan, schema).findings(on: connection)
            let types = try await ContentTypeProbe(plan, schema).findings(on: connection)
            let others =
                try await ConstantProbe(plan, schema).findings(on: connection)
                + ReplacementRowProbe(plan, schema, readsRows: readingKeys).findings(on: connection)
                + NullProbe(plan, schema, readsRows: readingKeys).findings(on: connection)
                + PartitionProbe(plan, schema).findings(on: connection)
                + ShorterListProbe(plan, schema).findings(on: connection)
                + TargetProbe(plan, schema).findings(on: connection)
                + (readingKeys ? keys(plan, schema, on: connection) : [])
                + VendorBuckets(plan, schema).findings(on: connection) + [foreign].compactMap(\.self)
            // Two probes may lack the same right.
            var seen: Set<Finding> = []
            return (others + missing + types).filter { seen.insert($0).inserted }
        }
        return asked.isEmpty ? found : Finding.ordered(found + asked)
    }

    private static func keys(
        _ plan: Plan, _ schema: Schema, on connection: any SQLConnection
    ) async throws -> [Finding] {
        try await KeyTextProbe(plan, schema).findings(on: connection)
            + NumberKeyProbe(plan, schema).findings(on: connection)
            + DeepCascadeProbe(plan, schema).findings(on: connection)
    }

    /// The changes since the plan's schema, in words, where the control store remembers that schema.
    private static func changes(
        _ plan: Plan, to schema: Schema, _ fingerprint: String?, on database: any SQLDatabase
    ) async -> [String] {
        guard let fingerprint, let planned = plan.schemaFingerprint, planned != fingerprint else { return [] }
        let asked = ControlStore(dialect: database.dialect).snapshot(of: planned)
        // A database without a control store, or one that this role must not read, refuses the question.
        guard let text = try? await database.withConnection({ try await $0.run(asked).scalar?.text }),
            let before = try? JSONDecoder().decode(Schema.self, from: Data(text.utf8))
        else { return [] }
        return before.differences(to: schema).map { "\($0)" }
    }
}
