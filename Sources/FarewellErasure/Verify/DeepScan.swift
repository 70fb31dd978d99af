// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Looks for a person's identifiers in every text, UUID and JSON column of the database, planned or not.
package struct DeepScan: Sendable {
    let schema: Schema
    let plan: Plan

    package init(schema: Schema, plan: Plan) {
        self.schema = schema
        self.plan = plan
    }

    /// Shorter identifiers are not searched for: they would be found in anything.
    package static let shortest = 6

    /// What a scan found.
    package struct Outcome: Sendable, Hashable {
        package var columns = 0
        package var rows = 0
        package var occurrences = 0
        /// Places with occurrences, as `table.column`.
        package var found: [String: Int] = [:]
        /// Whether every row of every table was read.
        package var isComplete = true
    }

    /// The identifiers worth searching for: long enough, each once, the subject's key only where it is no
    /// small number that stands everywhere.
    package static func needles(of subjects: [SealedSubject]) -> [String] {
        var needles: Set<ExactText> = []
        for subject in subjects {
            if case .integer = subject.key {} else { needles.formUnion(lowered(subject.key.text)) }
            for identifier in subject.identifiers { needles.formUnion(lowered(identifier)) }
        }
        return needles.filter { $0.text.count >= shortest }.sorted().map(\.text)
    }

    /// Whether an identifier is long enough to be searched for.
    package static func isSearched(_ identifier: String) -> Bool {
        lowered(identifier).contains { $0.text.count >= shortest }
    }

    /// A text as either kind of `lower()` makes it: of every script, or of A to Z only, as SQLite's does and
    /// PostgreSQL's in some locales.
    private static func lowered(_ text: String) -> Set<ExactText> {
        var ascii = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isCapital = ("A"..."Z").contains(scalar)
            ascii.append(isCapital ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar)
        }
        return [ExactText(text.lowercased()), ExactText(String(ascii))]
    }

    /// The same with the identifiers as they are written: what bytes are searched for.
    static func spellings(of subjects: [SealedSubject]) -> [String] {
        let written = subjects.flatMap { subject -> [String] in
            if case .integer = subject.key { subject.identifiers } else { subject.identifiers + [subject.key.text] }
        }
        return (needles(of: subjects) + written.filter { $0.count >= shortest }).exactlyDistinct
    }

    /// Reads each table once, all its columns and all needles together.
    ///
    /// - Parameter report: Called after each table with how many are behind and how many there are.
    package func run(
        for needles: [String], extent: DeepScanExtent, on database: any SQLDatabase,
        report: (_ done: Int, _ of: Int) async -> Void = { _, _ in }
    ) async throws -> Outcome {
        guard !needles.isEmpty, extent != .none else { return Outcome(isComplete: false) }
        var outcome = Outcome()
        let tables = schema.tables.filter { $0.kind != .partition }
        for (position, table) in tables.enumerated() {
            try Task.checkCancellation()
            let columns = searched(table)
            if !table.isReadable {
                // `farewell check` warns of it; the rows that are gone by now are no reason to fail.
                outcome.isComplete = false
            } else if !columns.isEmpty {
                let result = try await database.withConnection { connection in
                    try await connection.run(statement(table, columns, needles, extent))
                }
                add(result, table, columns, extent, to: &outcome)
            }
            await report(position + 1, tables.count)
        }
        return outcome
    }

    /// The columns of a table that can hold an identifier, kept ones excepted: what a retention keeps on
    /// purpose is named in the receipt and is no leftover.
    private func searched(_ table: SchemaTable) -> [SchemaColumn] {
        let kept = Set(plan[table.name]?.columns.filter { $0.rule?.isRetained == true }.map(\.name) ?? [])
        return table.columns.filter { column in
            switch column.kind {
            case .text, .uuid, .json, .array: !kept.contains(column.name)
            default: false
            }
        }
    }

    private func statement(
        _ table: SchemaTable, _ columns: [SchemaColumn], _ needles: [String], _ extent: DeepScanExtent
    ) -> SQLStatement {
        let dialect = schema.dialect
        let from = [table.name.schema, table.name.name].compactMap(\.self).map(dialect.quoted).joined(separator: ".")
        let sums = columns.map { column in
            let value = "lower(CAST(t.\(dialect.quoted(column.name)) AS text))"
            return dialect.hasArrays
                ? "count(*) FILTER (WHERE \(value) LIKE ANY($1::text[]))"
                : "coalesce(sum(EXISTS (SELECT 1 FROM json_each($1) AS n WHERE instr(\(value), n.value) > 0)), 0)"
        }
        var source = "\(from) AS t"
        if case .bounded(let rows) = extent { source = "(SELECT * FROM \(from) LIMIT \(max(rows, 1))) AS t" }
        let needles: SQLValue =
            dialect.hasArrays
            ? .array(needles.map { .text("%" + Self.literal($0) + "%") })
            : .text((try? String(decoding: JSONEncoder().encode(needles), as: UTF8.self)) ?? "[]")
        return SQLStatement("SELECT count(*), \(sums.joined(separator: ", ")) FROM \(source)", [needles])
    }

    /// A needle whose own wildcards mean themselves.
    private static func literal(_ needle: String) -> String {
        needle.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    }

    private func add(
        _ result: SQLResult, _ table: SchemaTable, _ columns: [SchemaColumn], _ extent: DeepScanExtent,
        to outcome: inout Outcome
    ) {
        guard let row = result.rows.first else { return }
        let rows = Int(row[0].integer ?? 0)
        outcome.columns += columns.count
        outcome.rows += rows
        if case .bounded(let bound) = extent, rows >= bound { outcome.isComplete = false }
        for (place, column) in columns.enumerated() {
            let hits = Int(row[place + 1].integer ?? 0)
            guard hits > 0 else { continue }
            outcome.occurrences += hits
            outcome.found["\(ColumnName(table.name, column.name))"] = hits
        }
    }
}
