// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tables that inherit from a personal table hold rows of it, and the plan erases them by entries of their own.
struct InheritanceCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        let descendants = TableDescendants(context.map.schema)
        guard !descendants.isEmpty else { return [] }
        let subject = context.plan.subject
        let subjects = Set(descendants.of(subject.table))
        let others = context.entries.filter { $0.plan.rule.isPersonal && $0.plan.table != subject.table }
        var reported = subjects
        let kept = others.flatMap { entry in
            descendants.of(entry.plan.table).filter { isNotPersonal($0) && reported.insert($0).inserted }.map {
                self.left($0, of: entry.plan.table)
            }
        }
        return subjects.sorted().compactMap(subjectsIn) + kept
    }

    private func isNotPersonal(_ table: TableName) -> Bool { context.rule(table)?.isPersonal == false }

    /// The subject's own row may be in the table, and must be found there.
    private func subjectsIn(_ table: TableName) -> Finding? {
        guard let entry = context[table], context.map[table] != nil else { return nil }
        let subject = context.plan.subject
        let holds =
            "This table inherits from \(Shown.name(subject.table.description)), so a subject's own row may be here"
        let key = Shown.line(TableName.written(subject.key), limit: 120)
        let target = Shown.line(ColumnName(subject.table, subject.key).description, limit: 160)
        guard entry.rule.isPersonal else {
            return Finding(
                "table.inherits-subject", .error, table: table,
                "\(holds), but the table is called not personal: that row would stay.",
                remedy: "Use the rule of the subject's table, and add {from: \(key), to: \(target)} to the links.")
        }
        guard !entry.links.contains(where: isKeyLink) else { return nil }
        return Finding(
            "table.inherits-subject", .error, table: table, column: subject.key,
            "\(holds), but no link of the plan finds it by the subject's key.",
            remedy: "Add {from: \(key), to: \(target)} to the links.")
    }

    private func isKeyLink(_ link: Link) -> Bool {
        let subject = context.plan.subject
        return link.columns == [subject.key] && context.paths.holdsSubjectKey(link) && link.path.isEmpty
            && link.condition.isEmpty && link.list == nil && SubjectPaths.erases(link) && !link.isOwnedParent
    }

    private func left(_ table: TableName, of parent: TableName) -> Finding {
        Finding(
            "table.inherits-personal", .warning, table: table,
            "This table inherits from \(Shown.name(parent.description)), which holds rows of the subject, but it is "
                + "called not personal: its own rows stay.",
            remedy: "See whether its rows lead to a subject; if so, give it a rule and links.")
    }
}
