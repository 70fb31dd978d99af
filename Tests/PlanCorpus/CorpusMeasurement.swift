// SPDX-License-Identifier: Apache-2.0
import FarewellPlan
import FarewellSQL

/// Drops all keys between the tables of a schema and lets a draft find them again (PL-7).
public struct CorpusMeasurement: Sendable {
    package let schema: CorpusSchema
    /// Where it is measured: PostgreSQL, unless the schema is SQLite's alone.
    public let dialect: SQLDialect

    /// Every schema written by hand, and a generated one of a thousand tables.
    public static let all: [CorpusMeasurement] = (CorpusSchema.written + [.generated(tables: 1_000)])
        .map(CorpusMeasurement.init)

    package init(_ schema: CorpusSchema) {
        self.schema = schema
        dialect = schema.dialects.contains(.postgresql) ? .postgresql : .sqlite
    }

    /// The schema's name and size, in words.
    public var title: String { "\(schema.name), \(schema.tables.count) tables" }

    /// The result.
    public struct Result: Sendable {
        package let byName: CorpusRecovery
        package let sampled: CorpusRecovery
        /// How many links name a subject directly.
        public var links: Int { byName.direct }
        /// The shares of them that a draft found by names and types, and that it found with a sample of the rows.
        public var recall: (byName: Double, sampled: Double) { (byName.recall, sampled.recall) }
        /// The shares of what was proposed that leads where the schema's author says.
        public var precision: (byName: Double, sampled: Double) { (byName.precision, sampled.precision) }
        /// The shares of the links through other tables.
        public var indirect: (byName: Double, sampled: Double) { (byName.indirectRecall, sampled.indirectRecall) }
        /// Links that were taken for granted although the author knows none such.
        public var wronglyAccepted: Int { byName.wronglyAccepted.count + sampled.wronglyAccepted.count }
    }

    /// Makes the tables without keys in an empty database, fills them, and drafts a plan, without and with a sample.
    ///
    /// - Throws: errors of the database, and of drafting.
    public func result(in database: any SQLDatabase) async throws -> Result {
        // Three rows tell nothing of a number's meaning, and a thousand tables of many rows take their time.
        let record = CorpusRecord.record(of: schema, on: dialect, people: schema.tables.count > 100 ? 24 : 60)
        try await database.withConnection { connection in
            for text in schema.script(dialect, keys: .dropped) + record.inserts {
                _ = try await connection.run(SQLStatement(text))
            }
        }
        let live = try await Schema.read(from: database)
        let draft = try PlanDerivation.draft(from: live, subject: schema.subjectColumn(dialect))
        let sampled = try await QuestionSampling().sampled(draft, live, database)
        return Result(
            byName: CorpusRecovery(of: draft.plan, for: schema, dialect),
            sampled: CorpusRecovery(of: sampled.plan, for: schema, dialect))
    }
}
