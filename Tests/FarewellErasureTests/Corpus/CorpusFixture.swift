// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import PlanCorpus
import TestFixtures
import Testing

/// A schema of the corpus in a database, with the rows of its record.
struct CorpusFixture {
    let engines: EngineFixture
    let record: CorpusRecord
    let author: CorpusAuthor
    let keys: CorpusSchema.Keys

    struct Case: Sendable, CustomTestStringConvertible {
        let schema: CorpusSchema
        let dialect: SQLDialect
        var keys = CorpusSchema.Keys.declared
        var testDescription: String { "\(schema), \(dialect)\(keys == .dropped ? ", keys dropped" : "")" }
    }

    /// Every schema on each of its databases.
    static let cases = CorpusSchema.written.flatMap { schema in
        schema.dialects.map { Case(schema: schema, dialect: $0) }
    }

    /// The same, and once more where the database knows no key between tables.
    static let allCases = cases + cases.map { Case(schema: $0.schema, dialect: $0.dialect, keys: .dropped) }

    static func with(_ which: Case, people: Int = 7, _ use: (CorpusFixture) async throws -> Void) async throws {
        let record = CorpusRecord.record(of: which.schema, on: which.dialect, people: people)
        try await EngineFixture.with(which.dialect, "SELECT 1") { engines in
            try await engines.database.withConnection { connection in
                for text in which.schema.script(which.dialect, keys: which.keys) + record.inserts {
                    _ = try await connection.run(SQLStatement(text))
                }
            }
            try await use(
                CorpusFixture(
                    engines: engines, record: record, author: CorpusAuthor(which.schema, which.dialect), keys: which.keys))
        }
    }

    var live: Schema { get async throws { try await Schema.read(from: engines.database) } }

    /// The draft of `init` for its schema, by names only.
    func draft(_ live: Schema) throws -> Plan {
        try PlanDerivation.draft(from: live, subject: record.schema.subjectColumn(engines.dialect)).plan
    }

    /// Every row of every table, by the record's own statements.
    func everything() async throws -> [String: [String]] {
        try await engines.database.withConnection { try await record.everything(in: $0) }
    }

    /// An engine with a plan that was not checked against the schema.
    func uncheckedEngine(_ plan: Plan, beside checked: ErasureEngine) async throws -> ErasureEngine {
        let schema = try await live
        let prepared = try PreparedPlan(
            plan: plan, schema: schema, planFingerprint: PlanFingerprint.of(plan),
            schemaFingerprint: schema.fingerprint, stamp: checked.prepared.stamp)
        return ErasureEngine(
            database: engines.database, prepared: prepared, control: checked.control, keys: checked.keys,
            environment: checked.environment)
    }
}
