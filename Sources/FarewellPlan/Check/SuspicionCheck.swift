// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that look like links to a person although no link says so.
///
/// An author who has looked says so beside the column: `{created_by: not personal}`.
struct SuspicionCheck {
    private let context: CheckContext
    private let stems: [String: TableName]
    private let subjectKind: SchemaColumn.Kind?

    init(_ context: CheckContext) {
        self.context = context
        var stems: [String: TableName] = [:]
        for entry in context.entries where entry.plan.rule.erasesRows && entry.table.primaryKey.count == 1 {
            stems[PersonNames.stem(ofTable: entry.table.name.name)] = entry.table.name
        }
        self.stems = stems
        subjectKind = context.map.column(context.plan.subject.table, context.plan.subject.key)?.kind
    }

    func findings() -> [Finding] {
        context.entries.flatMap { entry -> [Finding] in
            let spoken = spokenFor(entry.plan)
            let suspects = SuspectedLink.all(
                in: entry.table, bound: spoken, subject: context.plan.subject, reached: stems, map: context.map)
            let named = suspects.compactMap { byName($0, entry.plan) }
            guard !entry.plan.rule.isPersonal else { return named }
            let suspected = Set(suspects.map(\.column.name))
            return named
                + entry.table.columns.compactMap { column in
                    guard !spoken.contains(column.name), !suspected.contains(column.name),
                        entry.table.primaryKey != [column.name], !column.isGenerated
                    else { return nil }
                    return byType(column, entry.table)
                }
        }
    }

    /// Columns about which plan or database say where they lead, or that they lead nowhere.
    private func spokenFor(_ entry: TablePlan) -> Set<String> {
        let keys = context.map.keys(of: entry.table).flatMap(\.key.columns)
        let ruled = entry.columns.filter { $0.rule != nil }.map(\.name)
        var spoken = Set(keys + ruled + entry.links.flatMap(\.columns))
        if entry.table == context.plan.subject.table { spoken.insert(context.plan.subject.key) }
        return spoken
    }

    private func byName(_ suspect: SuspectedLink, _ entry: TablePlan) -> Finding? {
        let isPersonal = entry.rule.isPersonal
        guard suspect.typeFits || !isPersonal else { return nil }
        // The row goes anyway; a column that repeats a reached table's key adds nothing.
        if isPersonal, suspect.role == nil { return nil }
        let target = ColumnName(suspect.link.target, suspect.link.targetColumns[0]).description
        let column = Shown.line(TableName.written(suspect.column.name), limit: 120)
        return Finding(
            "link.suspected", suspect.typeFits && !isPersonal ? .error : .warning, table: entry.table,
            column: suspect.column.name,
            isPersonal
                ? "By its name and type this is a link to \(Shown.name(target)): "
                    + "rows of other people may name the person."
                : "By its name\(suspect.typeFits ? " and type" : "") this is a link to \(Shown.name(target)), "
                    + "but the table is called not personal.",
            remedy: "Add {from: \(column), to: \(Shown.line(target, limit: 160))} to the links, or say that it is "
                + "none: {\(column): not personal} in `columns`.")
    }

    private func byType(_ column: SchemaColumn, _ table: SchemaTable) -> Finding? {
        let isKey = column.kind == .uuid && subjectKind == .uuid
        let isList = column.kind == .array && subjectKind == .uuid && column.type.lowercased().hasPrefix("uuid")
        guard isKey || isList else { return nil }
        let name = Shown.line(TableName.written(column.name), limit: 120)
        return Finding(
            "link.suspected-type", .warning, table: table.name, column: column.name,
            "This column has the type of the subject's key, no key binds it, and the table is called not personal.",
            remedy: "See what it holds (`farewell check --sample`); then add a link, or {\(name): not personal} in "
                + "`columns`.")
    }
}
