// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that look like links to a subject although the plan has no such link.
///
/// The author settles one beside the column: `{created_by: not personal}`. Columns of the plan's questions are not
/// reported again.
struct SuspicionCheck {
    private let context: CheckContext
    private let suspects: SuspectedLinks
    private let contacts: ContactColumns
    private let subjectKind: SchemaColumn.Kind?

    init(_ context: CheckContext) {
        self.context = context
        let subject = context.plan.subject
        suspects = SuspectedLinks(context.map, subject: subject)
        let places = [subject.table] + context.paths.onePerPerson.subtracting([subject.table]).sorted()
        contacts = ContactColumns(subject: subject, places: places, context.map)
        subjectKind = context.map.column(subject.table, subject.key)?.kind
    }

    func findings() -> [Finding] {
        context.entries.flatMap { entry -> [Finding] in
            guard entry.table.kind != .materializedView else { return [] }
            let spoken = spokenFor(entry.plan)
            let found = suspects.columns(in: entry.table, bound: spoken).compactMap { suspected in
                suspects.link(suspected) { $0 == context.plan.subject.table || context.isErased($0) }
            }
            let leading = found.compactMap { leadingToListed($0, in: entry.table) }
            let named = leading.compactMap { byName($0, entry.plan) } + withoutCondition(entry.plan, entry.table)
            let suspected = Set(found.map(\.column.name))
            let lists = entry.table.columns.filter { !spoken.contains($0.name) && !suspected.contains($0.name) }
                .compactMap { byElements($0, entry.table) }
            guard !entry.plan.rule.isPersonal else {
                return named + lists + ofOthers(entry.table, entry.plan, spoken)
            }
            let byType = entry.table.columns.compactMap { column -> Finding? in
                guard !spoken.contains(column.name), !suspected.contains(column.name),
                    entry.table.primaryKey != [column.name], column.identity != .always
                else { return nil }
                return self.byType(column, entry.table)
            }
            return named + lists + byType + (found.isEmpty ? byAddress(entry.table, spoken) : [])
        }
    }

    /// Columns whose target is known from plan or database, or that have none.
    private func spokenFor(_ entry: TablePlan) -> Set<String> {
        let keys = context.map.keys(of: entry.table).flatMap(\.key.columns)
        let ruled = entry.columns.filter { $0.rule != nil }.map(\.name)
        var spoken = Set(keys + ruled + entry.links.flatMap(\.columns)).union(context.asked[entry.table] ?? [])
        if entry.table == context.plan.subject.table { spoken.insert(context.plan.subject.key) }
        return spoken
    }

    /// A pair whose type column has a closed list of values leads only to the tables that these values mean; `nil` if
    /// none of them has rows that are deleted with the subject.
    private func leadingToListed(_ suspect: SuspectedLink, in table: SchemaTable) -> SuspectedLink? {
        guard let type = suspect.typeColumn else { return suspect }
        let (subject, map) = (context.plan.subject, context.map)
        let values = PairValues(type, in: table, of: subject.table, map)
        guard values.listed != nil else { return suspect }
        func leading(to target: TableName) -> Link? {
            PairLink.of(suspect.column, in: table, to: target, subject: subject, map)
        }
        let erased = context.entries.map { $0.plan.table }.filter { $0 != subject.table && context.isErased($0) }
        for target in [subject.table] + erased where values.mayMean(target) {
            guard let link = leading(to: target) else { continue }
            var suspect = suspect
            suspect.link = link
            return suspect
        }
        return values.unclear.isEmpty || leading(to: subject.table) == nil ? nil : suspect
    }

    private func byName(_ suspect: SuspectedLink, _ entry: TablePlan) -> Finding? {
        let isPersonal = entry.rule.isPersonal
        guard suspect.fit == .same || !isPersonal else { return nil }
        // The row is deleted anyway; a column that repeats a reached table's key adds nothing.
        if isPersonal, suspect.role == nil || suspect.typeColumn != nil { return nil }
        let isPlain =
            suspect.fit == .same && suspect.typeColumn == nil && suspect.link.list == nil && suspect.role != .doer
            && !suspect.isNaturalName && !suspect.hasRival && suspect.reading == nil
        let target = Self.written(suspect.link.targetColumns.map { ColumnName(suspect.link.target, $0).description })
        let column = Shown.line(Self.written(suspect.link.columns.map(TableName.written)), limit: 160)
        let words = "name\(suspect.fit == .same ? " and type" : "")"
        let message =
            isPersonal
            ? "By its name and type this is a link to \(Shown.name(target)): other users' rows may name the subject."
            : suspect.typeColumn != nil
                ? "Rows here may lead to \(Shown.name(target)), depending on another column, but the table is called "
                    + "not personal."
                : "By its \(words) this \(suspect.link.list == nil ? "is a link" : "lists links") to "
                    + "\(Shown.name(target)), but the table is called not personal."
        return Finding(
            "link.suspected", isPlain && !isPersonal && !leadsToOtherKey(suspect.link) ? .error : .warning,
            table: entry.table, column: suspect.column.name, message,
            remedy:
                "Add {from: \(column), to: \(Shown.line(target, limit: 160))\(Self.more(suspect))} to the "
                + "links\(isPersonal ? "" : " and give the table a rule, such as erase"), or state "
                + "that it is not a link: "
                + "{\(Shown.line(TableName.written(suspect.column.name), limit: 120)): not personal} in `columns`.")
    }

    /// One name, or several in brackets.
    private static func written(_ names: [String]) -> String {
        names.count == 1 ? names[0] : "[\(names.joined(separator: ", "))]"
    }

    private func leadsToOtherKey(_ link: Link) -> Bool {
        guard link.target != context.plan.subject.table else {
            return link.targetColumns != [context.plan.subject.key]
        }
        return context.map[link.target].map { $0.parents.isEmpty && $0.primaryKey != link.targetColumns } ?? false
    }

    private static func more(_ suspect: SuspectedLink) -> String {
        if let list = suspect.link.list { return ", list: \(list.rawValue), role: reference" }
        guard let type = suspect.typeColumn else { return "" }
        return ", where: {\(Shown.line(TableName.written(type.name), limit: 120)): VALUE}"
    }

    /// A link of the plan whose column leads to several tables, without saying which rows it is about.
    private func withoutCondition(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        entry.links.compactMap { link in
            guard link.onDelete == nil, link.condition.isEmpty, link.columns.count == 1, link.path.isEmpty,
                let column = table[link.columns[0]],
                let type = PolymorphicPair.typeColumn(of: column, KeyName(column.name), in: table, context.map),
                context.columnRule(entry.table, type.name) == nil
            else { return nil }
            let name = Shown.line(TableName.written(type.name), limit: 120)
            return Finding(
                "link.without-condition", .error, table: entry.table, column: column.name,
                "By its name, \(name) names the table that this column refers to; the link also finds rows that refer "
                    + "elsewhere with equal numbers.",
                remedy: "Add `where: {\(name): VALUE}` to the link, or state that \(name) has another meaning: "
                    + "{\(name): not personal} in `columns`.")
        }
    }

    private func byAddress(_ table: SchemaTable, _ spoken: Set<String>) -> [Finding] {
        guard context.asked[table.name] == nil,
            let question = contacts.question(table)
                ?? UnlinkedValues.question(table, users: context.plan.subject.table),
            spoken.isDisjoint(with: question.columns),
            context[table.name]?.links.isEmpty ?? true
        else { return [] }
        let name = Shown.line(TableName.written(question.columns[0]), limit: 120)
        let link = question.link.map { link in
            let target = ColumnName(link.target, link.targetColumns[0]).description
            return "Add {from: \(name), to: \(Shown.line(target, limit: 160))} to the links and give the table a rule"
        }
        return [
            Finding(
                "table.contacts", .warning, table: table.name, column: question.columns[0],
                "This column holds addresses of people, and the table is called not personal.",
                remedy: "\(link ?? "Give the table a rule and a link"), or state that they are not personal: "
                    + "{\(name): not personal} in `columns`.")
        ]
    }

    /// Addresses in rows that are deleted with their user: those of other users stay in the rows of that user.
    private func ofOthers(_ table: SchemaTable, _ entry: TablePlan, _ spoken: Set<String>) -> [Finding] {
        guard entry.rule.erasesRows else { return [] }
        let owning = entry.links.filter { !$0.isReference && !$0.isOwnedParent && !Self.isOfNoUser($0) }
        let belonging = ContactColumns.Belonging(areErased: true, mayHaveUser: true, table, owning) { target in
            context.isOfUsers(target) || context.paths.onePerPerson.contains(target) || suspects.isOfPeople(target)
        }
        guard belonging.isThroughOthers || !belonging.openKeys.isEmpty else { return [] }
        let halves = aboutNoUsers(entry)
        let questions = contacts.questions(ofOthersIn: table, linking: spoken.subtracting(halves), belonging)
        return questions.compactMap { question in
            guard let link = question.link, link.condition.isEmpty || halves.isDisjoint(with: question.columns) else {
                return nil
            }
            return ofOthers(link, question.columns[0], belonging, table)
        }
    }

    private static func isOfNoUser(_ link: Link) -> Bool {
        !link.condition.isEmpty && link.condition.parts.allSatisfy(\.isNull)
    }

    /// The columns whose links and questions are only about rows without a user: they say nothing about the others.
    private func aboutNoUsers(_ entry: TablePlan) -> Set<String> {
        let questions = context.questions(of: entry.table)
        let links = entry.links + questions.flatMap(\.links)
        var others: [String] = links.filter { !Self.isOfNoUser($0) }.flatMap(\.columns)
        others += questions.filter { $0.link == nil }.flatMap(\.columns)
        others += entry.columns.filter { $0.rule != nil }.map(\.name)
        others += context.map.keys(of: entry.table).flatMap(\.key.columns)
        return Set(links.filter(Self.isOfNoUser).flatMap(\.columns)).subtracting(others)
    }

    private func ofOthers(
        _ link: Link, _ column: String, _ belonging: ContactColumns.Belonging, _ table: SchemaTable
    ) -> Finding {
        let name = Shown.line(TableName.written(column), limit: 120)
        let target = Shown.line(ColumnName(link.target, link.targetColumns[0]).description, limit: 160)
        guard link.condition.isEmpty else {
            let open = link.condition.parts.map { "\(Shown.line(TableName.written($0.column), limit: 120)): null" }
            return Finding(
                "table.contacts", .warning, table: table.name, column: column,
                "This column holds addresses of people, and rows without a user stay although the address in them may "
                    + "be the subject's.",
                remedy: "Add {from: \(name), to: \(target), role: owner, where: {\(open.joined(separator: ", "))}} to "
                    + "the links, or state that they are not users': {\(name): not personal} in `columns`.")
        }
        let message =
            belonging.isThroughOthers
            ? "Only other rows say whose rows these are, so an address may be another user's, and it stays when that "
                + "user is erased."
            : "They may be those of other persons than the row's own user: in the rows of another user, the subject's "
                + "address stays."
        return Finding(
            "table.contacts", .warning, table: table.name, column: column,
            "This column holds addresses of people. \(message)",
            remedy: "Add {from: \(name), to: \(target), role: reference} to the links, or state that the addresses are "
                + "not other users': {\(name): not personal} in `columns`.")
    }

    /// A list of values of the very type of the subject's key, whose name speaks of no table. Of numbers, only large
    /// ones are rather keys than counts.
    private func byElements(_ column: SchemaColumn, _ table: SchemaTable) -> Finding? {
        guard column.kind == .array, !column.isComputed,
            let key = context.map.column(context.plan.subject.table, context.plan.subject.key),
            KeyFit.ofElements(column, .array, key, in: context.map.schema.dialect) == .same,
            !suspects.namesTable(column, near: table.name)
        else { return nil }
        let types = [column.elementType ?? column.type, key.baseType.isEmpty ? key.type : key.baseType]
        guard key.kind == .uuid || key.kind == .integer && types.allSatisfy(Self.isLarge) else { return nil }
        let name = Shown.line(TableName.written(column.name), limit: 120)
        let target = ColumnName(context.plan.subject.table, context.plan.subject.key).description
        return Finding(
            "link.suspected-type", .warning, table: table.name, column: column.name,
            "This column lists values of the type of the subject's key and has no link: rows that stay may list the "
                + "subject.",
            remedy: "Check its values (`farewell check --sample`); then add {from: \(name), to: "
                + "\(Shown.line(target, limit: 160)), list: array, role: reference} to the links, or {\(name): not "
                + "personal} in `columns`.")
    }

    private static func isLarge(_ type: String) -> Bool {
        ["int8", "bigint"].contains { type.lowercased().hasPrefix($0) }
    }

    private func byType(_ column: SchemaColumn, _ table: SchemaTable) -> Finding? {
        guard column.kind == .uuid && subjectKind == .uuid else { return nil }
        let name = Shown.line(TableName.written(column.name), limit: 120)
        return Finding(
            "link.suspected-type", .warning, table: table.name, column: column.name,
            "This column has the type of the subject's key and no foreign key, and the table is called not personal.",
            remedy: "Check its values (`farewell check --sample`); then add a link, or {\(name): not personal} in "
                + "`columns`.")
    }
}
