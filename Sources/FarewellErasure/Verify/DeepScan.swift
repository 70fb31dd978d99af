// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Searches every column of the database, planned or not, for names of some subjects.
///
/// Databases count the values that may hold a name; only those are read and compared here, scalar by scalar
/// (``NameMatch``). Places that cannot be searched are reported.
package struct DeepScan: Sendable {
    let schema: Schema
    let plan: Plan
    private let subjectNames: SubjectNames
    private let entries: [TableName: TablePlan]

    package init(schema: Schema, plan: Plan) {
        self.schema = schema
        self.plan = plan
        subjectNames = SubjectNames(plan: plan, schema: schema)
        entries = Dictionary(plan.tables.map { ($0.table, $0) }) { first, _ in first }
    }

    /// Searches each table once for all subjects.
    ///
    /// - Parameter report: Called after each table with how many are behind and how many there are.
    /// - Returns: The findings of each subject, in their order.
    /// - Throws: Temporary errors, such as a lost connection. A table that the database refuses to read is reported as
    ///   not searched.
    package func run(
        for subjects: [SearchedSubject], extent: DeepScanExtent, on database: any SQLDatabase,
        report: (_ done: Int, _ of: Int) async -> Void = { _, _ in }
    ) async throws -> [SearchOutcome] {
        var findings = SearchFindings(of: subjects)
        let names = findings.names
        guard !names.isEmpty, extent != .none else {
            return subjects.map { _ in SearchOutcome(isComplete: false) }
        }
        let tables = schema.tables.filter { !$0.isPartition }
        for (position, table) in tables.enumerated() {
            try Task.checkCancellation()
            let columns = columns(of: table)
            findings.limit(Self.limits(of: columns, names))
            findings.limit(Self.hiddenWords(of: table))
            if let reason = Self.limit(of: table) { findings.refuse(table, reason) }
            if table.isReadable {
                let search = TableSearch(
                    table: table, columns: columns, match: NameMatch(names: subjectNames),
                    statements: SearchStatements(
                        dialect: schema.dialect, table: table, names: names, extent: extent))
                do {
                    findings.add(try await database.withConnection { try await search.run(on: $0) })
                } catch let error as FarewellError where Self.isRefusal(error) {
                    findings.refuse(table, Self.reason(error, table))
                }
            }
            await report(position + 1, tables.count)
        }
        findings.limit(impliedLimits)
        let left = findings.namesLeft
        if !left.isEmpty {
            findings.share(
                try await SharedIdentifiers(plan: plan, schema: schema).owners(of: names, at: left, on: database))
        }
        return findings.outcomes
    }

    /// The places that cannot be searched, as far as that is known without searching.
    ///
    /// - Returns: The reasons, by table or column.
    package func limits(for subject: SearchedSubject) -> [String: String] {
        var limits: [String: String] = [:]
        for table in schema.tables where !table.isPartition {
            limits.merge(Self.limits(of: columns(of: table), subject.names)) { first, _ in first }
            limits.merge(Self.hiddenWords(of: table)) { first, _ in first }
            if let reason = Self.limit(of: table) { limits["\(table.name)"] = reason }
        }
        return limits.merging(impliedLimits) { first, _ in first }
    }

    /// Columns whose values may name the subject elsewhere, and are not searched for.
    private var impliedLimits: [String: String] {
        let columns = ImpliedIdentifiers(plan, schema).unsearched
        return Dictionary(columns.map { ("\($0.column)", $0.reason) }) { first, _ in first }
    }

    private func columns(of table: SchemaTable) -> [SearchedColumn] {
        table.columns.compactMap { column in
            SearchedColumn(
                column, of: table, planned: entries[table.name], of: plan.subject, subjectNames, schema.dialect)
        }
    }

    private static func limits(of columns: [SearchedColumn], _ names: [SearchedName]) -> [String: String] {
        var limits: [String: String] = [:]
        for column in columns {
            if let limit = column.limit(for: names) { limits[column.place] = limit }
        }
        return limits
    }

    /// An index that missed a change of its source keeps the earlier words, which no query answers.
    private static func hiddenWords(of table: SchemaTable) -> [String: String] {
        guard table.hidesWords == true else { return [:] }
        return ["\(table.name)": "a full-text index, whose own words cannot be read"]
    }

    private static func limit(of table: SchemaTable) -> String? {
        if let refusal = table.refusal { return refusal }
        if !table.isReadable { return "the role may not read it" }
        return table.rowSecurity.appliesToRole ? "row security hides rows from the role" : nil
    }

    /// Whether the database refuses to read a table, and will again.
    private static func isRefusal(_ error: FarewellError) -> Bool {
        guard error.family != .tryAgain, error.code.rawValue.hasPrefix("sql.") else { return false }
        return !["sql.closed", "sql.XX001"].contains(error.code.rawValue)
    }

    private static func reason(_ error: FarewellError, _ table: SchemaTable) -> String {
        if table.kind == .materializedView, error.code == "sql.55000" { return "it has not been populated yet" }
        return "the database refuses to read it: \(error.code.rawValue)"
    }
}
