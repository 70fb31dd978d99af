// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// A plan that does not fit the schema of now. A server accepts erasures by it where it recognises the subject, and
/// carries none out until the plan or the schema is corrected.
package struct UnfitPlan: Sendable {
    /// The plan as its file says it.
    let plan: Plan
    /// The true cause, with the tables that do not fit and the remedy. Safe to log.
    package let error: FarewellError
    /// The tables that do not fit, each once, by name; `the plan` for the whole of it.
    package let places: [String]
    /// Whether the schema has the subject's table and key and every identifier, so that a subject is recognised.
    let recognisesSubjects: Bool

    /// The most places that are named.
    private static let most = 20

    /// The prefix of the findings about the subject's own table and key.
    private static let subjectCodes = "subject."

    /// Whether an error in preparing a plan says that it does not fit.
    static func isCause(_ error: FarewellError) -> Bool {
        error.family == .yoursToFix && ["plan.", "sql."].contains { error.code.rawValue.hasPrefix($0) }
    }

    /// Looks what of the plan does not fit.
    ///
    /// - Parameter cause: Why an engine could not be prepared by it.
    /// - Returns: Also a plan that only recognises subjects, which must not carry anything out.
    /// - Throws: an error of the database.
    static func found(
        _ plan: Plan, _ cause: FarewellError, on database: any SQLDatabase
    ) async throws -> (unfit: UnfitPlan, recognising: PreparedPlan) {
        let schema = try await Schema.read(from: database)
        let fingerprint = plan.fingerprint(of: schema)
        // If the database refuses a probe, the findings of the schema remain.
        let findings =
            (try? await PlanCheck.findings(
                plan, schema, fingerprint: fingerprint, readingKeys: false, on: database))
            ?? PlanCheck.findings(plan, schema, fingerprint: fingerprint)
        let errors = findings.filter { $0.severity == .error }
        let isUnknown = errors.contains { $0.code.rawValue.hasPrefix(subjectCodes) }
        let prepared = isUnknown ? nil : recognising(plan, in: schema)
        let unfit = UnfitPlan(
            plan: plan, error: error(errors, cause), places: Array(places(errors).prefix(most)),
            recognisesSubjects: prepared != nil)
        return (unfit, try prepared ?? strange(plan, schema.dialect))
    }

    /// That the schema is another one follows from the tables, where they are known.
    private static func places(_ errors: [Finding]) -> [String] {
        let tables = errors.compactMap(\.table).map { Shown.line($0.description, limit: 160) }
        return (tables.isEmpty ? errors.map(\.place) : tables).exactlyDistinct
    }

    private static func error(_ errors: [Finding], _ cause: FarewellError) -> FarewellError {
        guard let first = errors.first(where: { $0.table != nil }) ?? errors.first else { return cause }
        var message = "The plan does not fit the database. \(first.sentence)"
        let own = places([first])
        let others = places(errors).filter { place in !own.contains { $0.utf8.elementsEqual(place.utf8) } }
        if errors.count > 1 { message += " (and \(errors.count - 1) more)" }
        if !others.isEmpty {
            let more = others.count > most ? " and \(others.count - most) more" : ""
            message += " Also affected: \(others.prefix(most).joined(separator: ", "))\(more)."
        }
        return FarewellError(
            "plan.unaccounted", .yoursToFix, message,
            remedy: "Run farewell check and correct the plan or the database. A server or worker loads the "
                + "correction within seconds and then continues the erasures that wait for it.")
    }

    /// The whole plan if statements can be made from it, otherwise only the subject's own row; `nil` if that would
    /// miss an identifier, which distinguishes a subject from a later one with the same key.
    private static func recognising(_ plan: Plan, in schema: Schema) -> PreparedPlan? {
        if let whole = try? PreparedPlan(unfit: plan, of: plan, in: schema) { return whole }
        guard let table = schema[plan.subject.table] else { return nil }
        func has(_ column: ColumnName) -> Bool { column.table == table.name && table[column.column] != nil }
        guard plan.subject.identifiers.allSatisfy(has) else { return nil }
        return try? PreparedPlan(unfit: plan.ofSubjectAlone(table, has), of: plan, in: schema)
    }

    /// For a schema without the subject's table: no subject is ever looked up by it.
    private static func strange(_ plan: Plan, _ dialect: SQLDialect) throws -> PreparedPlan {
        let subject = plan.subject
        let table = SchemaTable(
            name: subject.table, columns: [SchemaColumn(name: subject.key, type: "text", kind: .text)],
            primaryKey: [subject.key])
        return try PreparedPlan(
            unfit: plan.ofSubjectAlone(table) { _ in false }, of: plan, in: Schema(dialect: dialect, tables: [table]))
    }
}

extension PreparedPlan {
    /// A plan that does not fit, for recognising subjects only.
    ///
    /// - Parameter whole: The plan that erasures are accepted under.
    fileprivate init(unfit plan: Plan, of whole: Plan, in schema: Schema) throws {
        try self.init(
            plan: plan, schema: schema, planFingerprint: PlanFingerprint.of(whole),
            schemaFingerprint: plan.fingerprint(of: schema), stamp: .null)
    }
}

extension Plan {
    /// The subject's own row, and the data that its columns or the key lead to.
    fileprivate func ofSubjectAlone(_ table: SchemaTable, _ has: (ColumnName) -> Bool) -> Plan {
        var alone = self
        alone.tables = [
            TablePlan(
                table: table.name, rule: .erase, columns: table.columns.map { TablePlan.PlannedColumn($0.name) })
        ]
        alone.subject.identifiers = subject.identifiers.filter(has)
        alone.folders = folders.filter { folder in
            if case .column(let column) = folder.location { return has(column) }
            return true
        }
        alone.systems = systems.filter { system in
            if case .column(let column) = system.person { return has(column) }
            return true
        }
        (alone.questions, alone.effects, alone.vendors) = ([], [], [])
        return alone
    }
}
