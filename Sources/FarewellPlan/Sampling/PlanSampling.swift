// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Looks into the rows for links that neither keys nor names betray: a column whose values are subject keys
/// is a link, whatever it is called.
///
/// Reads a bounded number of rows of each table, asks which of their values are keys or identifiers of
/// subjects, and reports counts only. A sample proves that a link exists, never that none does.
public struct PlanSampling: Sendable {
    /// The most rows read of one table.
    public var rowsPerTable: Int

    public init(rowsPerTable: Int = 1_000) {
        self.rowsPerTable = max(1, rowsPerTable)
    }

    /// The findings from sampled values of columns outside the plan's links.
    ///
    /// - Throws: the database's error if the subject's own table cannot be read. Another table that cannot be read
    ///   becomes a finding.
    public func findings(_ plan: Plan, _ schema: Schema, _ database: any SQLDatabase) async throws -> [Finding] {
        let (found, unreadable, verdict) = try await look(plan, schema, database)
        let context = CheckContext(plan, schema)
        let values = try await database.withConnection { connection in
            try await ListProbe(context.plan, schema, rowsPerTable: rowsPerTable).findings(on: connection)
                + RetentionStartProbe(context, rowsPerTable: rowsPerTable).findings(on: connection)
        }
        return Finding.ordered(unreadable + found.map(verdict) + values)
    }

    /// The links found in sampled values of columns outside the plan's links and questions.
    func links(_ plan: Plan, _ schema: Schema, _ database: any SQLDatabase) async throws -> [SampledLink] {
        try await look(plan, schema, database).found
    }

    private func look(
        _ plan: Plan, _ schema: Schema, _ database: any SQLDatabase
    ) async throws -> (found: [SampledLink], unreadable: [Finding], verdict: @Sendable (SampledLink) -> Finding) {
        let context = CheckContext(plan, schema)
        let verdict: @Sendable (SampledLink) -> Finding = { $0.finding(context) }
        guard context.map.column(plan.subject.table, plan.subject.key) != nil else { return ([], [], verdict) }
        return try await database.withConnection { connection in
            let probe = SampleProbe(connection: connection)
            var findings: [Finding] = []
            var places: [SampledPlace: SampledValues] = [:]
            var others: [SampledPlace: SampledValues] = [:]
            for entry in context.entries where entry.table.isReadable {
                let columns = Self.columns(of: entry.plan, entry.table, context)
                let own = OwnedColumns(entry.plan, entry.table, context)
                let all = columns + own.columns + own.owners
                guard !columns.isEmpty || !own.columns.isEmpty else { continue }
                do {
                    for row in try await probe.rows(of: entry.table, columns: all, limit: rowsPerTable) {
                        for (column, value) in zip(columns, row) {
                            SampledValues.collect(value, of: ColumnName(entry.plan.table, column), into: &places)
                        }
                        own.collect(row.dropFirst(columns.count), of: entry.plan.table, into: &others)
                    }
                } catch let error as FarewellError {
                    findings.append(Self.unreadable(entry.plan.table, error))
                }
            }
            let found = try await SampleVerdict(context: context, probe: probe).links(places, ofOthers: others)
            return (found, findings, verdict)
        }
    }

    /// Columns whose target is unknown from plan and database.
    private static func columns(of entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) -> [String] {
        guard entry.table != context.plan.subject.table, !VendorProfile.listsFiles(entry.table, in: context.plan) else {
            return []
        }
        let keys = context.map.keys(of: entry.table).flatMap(\.key.columns)
        let ruled = entry.columns.filter { $0.rule != nil }.map(\.name)
        // A system deletes what these columns name.
        let owned = context.plan.systems.compactMap(\.owned).filter { $0.column.table == entry.table }
        let named = owned.flatMap { [$0.column.column] + $0.owners }
        let spoken = Set(keys + entry.links.flatMap(\.columns) + ruled + named).union(context.asked[entry.table] ?? [])
        let isPersonal = entry.rule.isPersonal
        return table.columns.filter { column in
            guard !spoken.contains(column.name) else { return false }
            switch column.kind {
            case .uuid: return !isPersonal || table.primaryKey != [column.name]
            case .text, .json, .array: return !isPersonal
            // Counted keys of different tables are the same small numbers.
            case .integer, .number: return !isPersonal && table.primaryKey != [column.name]
            case .boolean, .timestamp, .bytes, .other: return false
            }
        }.map(\.name)
    }

    private static func unreadable(_ table: TableName, _ error: FarewellError) -> Finding {
        Finding(
            "sample.unreadable", .warning, table: table,
            "Rows of this table could not be sampled (\(Shown.line(error.code.rawValue, limit: 60))).",
            remedy: "Let the role read it, or check its columns yourself.")
    }
}
