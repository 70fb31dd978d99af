// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Owned parents that decide about themselves: the rows that own them, or keep them by a key, are found or kept through
/// them. A row that loses its value (`role: reference`) decides nothing.
struct OwnedParentCircle {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings(_ link: Link, of entry: TablePlan) -> [Finding] {
        if let way = way(from: link.target, to: entry.table) {
            return [
                finding(
                    entry, link,
                    "Rows of \(Shown.name(link.target.description)) own these rows, and are also found through them: "
                        + "the order of deletion is undefined.",
                    remedy(way, link, entry))
            ]
        }
        return byKey(link, entry)
    }

    private func finding(_ entry: TablePlan, _ link: Link, _ message: String, _ remedy: String) -> Finding {
        Finding(
            "link.owned-parent-circle", .error, table: entry.table, column: link.columns.first, message, remedy: remedy)
    }

    // MARK: Links

    /// A link of a table on a way.
    private struct Step {
        let table: TableName
        let link: Link
    }

    /// The shortest way by deleting links from a table to another; `nil` if none leads there.
    private func way(from start: TableName, to end: TableName) -> [Step]? {
        var before: [TableName: Step] = [:]
        var (open, seen) = ([start][...], Set([start]))
        while let next = open.popFirst() {
            for link in owning(next) {
                let step = Step(table: next, link: link)
                if link.target == end {
                    var way = [step]
                    while let earlier = before[way[0].table] { way.insert(earlier, at: 0) }
                    return way
                }
                guard seen.insert(link.target).inserted else { continue }
                before[link.target] = step
                open.append(link.target)
            }
        }
        return nil
    }

    private func owning(_ table: TableName) -> [Link] { (context[table]?.links ?? []).filter { !$0.isReference } }

    /// Whether rows of a table are found without a link, and not through others.
    private func isFound(_ table: TableName, without link: Link, nor parents: Set<TableName>) -> Bool {
        if table == context.plan.subject.table { return true }
        return owning(table).contains { other in
            guard other != link, !parents.contains(other.target) else { return false }
            return parents.allSatisfy { way(from: other.target, to: $0) == nil }
        }
    }

    /// The first change that ends a circle and leaves its rows found.
    private func remedy(_ way: [Step], _ link: Link, _ entry: TablePlan) -> String {
        let ends = way.filter { isFound($0.table, without: $0.link, nor: [entry.table]) }
        for step in ends where !step.link.isOwnedParent && step.link.list == nil {
            guard let table = context.map[step.table] else { continue }
            let lost = LostValue(step.link, in: table)
            guard lost.isPossible else { continue }
            let value = lost.isClearable ? "" : " and `set:`"
            return "Write `role: reference`\(value) for the link by \(Self.shown(step.link.columns)) of "
                + "\(Shown.name(step.table.description))\(asAnswer(.reference, step))."
        }
        if let step = ends.first {
            let why =
                step.link.target == entry.table && step.link.columns == link.targetColumns
                ? ", which `parent: owned` replaces" : ""
            return "Remove the link by \(Self.shown(step.link.columns)) of \(Shown.name(step.table.description))\(why)"
                + "\(asAnswer(.unrelated, step))."
        }
        if isFound(entry.table, without: link, nor: Set(way.map(\.table))) {
            return "Remove the link with `parent: owned` by \(Self.shown(link.columns)) here"
                + "\(asAnswer(.unrelated, Step(table: entry.table, link: link))): other links find these rows."
        }
        return "No other link finds rows of these tables. Add one to "
            + "\(Shown.name(way[0].table.description)) that leads to the subject's rows, and remove its link by "
            + "\(Self.shown(way[0].link.columns))."
    }

    /// The command that does the same if a question declared the link.
    private func asAnswer(_ answer: PlanQuestion.Answer, _ step: Step) -> String {
        let question = context.plan.questions.first { question in
            question.table == step.table && question.answer == .owner && question.answers.contains(answer)
                && question.links.contains { $0.columns == step.link.columns && $0.target == step.link.target }
        }
        guard let question else { return "" }
        return " (\(AnswerCommand.text(answer, question.columns, of: step.table)))"
    }

    // MARK: Keys

    /// Rows that name these rows by a key keep them, so they must not themselves wait for these.
    private func byKey(_ link: Link, _ entry: TablePlan) -> [Finding] {
        let found = holders(of: entry.table).compactMap { key in
            waiting(key.table, for: entry.table).map { (key: key, others: $0) }
        }
        guard let (key, others) = found.first(where: { losesValue($0.key) }) ?? found.first else { return [] }
        // Another key of the circle can lose its value, and its own finding says so.
        guard losesValue(key) || !others.contains(where: losesValue) else { return [] }
        let isFoundHere = way(from: key.table, to: entry.table) != nil
        return [
            finding(
                entry, link,
                "Rows of \(Shown.name(key.table.description)) refer to these rows by \(Self.shown(key.key.columns)), "
                    + "and are also \(isFoundHere ? "found through" : "kept by") them: the order of deletion is "
                    + "undefined.",
                remedy(key))
        ]
    }

    /// The keys by which rows keep rows of a table that they do not own.
    private func holders(of table: TableName) -> [SchemaMap.Key] {
        let owners = owning(table).filter(\.isOwnedParent)
        return context.map.keys(to: table).filter { key in
            key.key.isPaired
                && !owners.contains { $0.target == key.table && $0.targetColumns == key.key.columns }
                && !(context[key.table]?.links ?? []).contains { ParentHolder.letsGo(of: key.key, by: $0) }
        }
    }

    /// The keys on a way by which rows of a table wait for rows of another, which they are found through, or which keep
    /// them as owned parents; `nil` if they do not.
    private func waiting(_ start: TableName, for end: TableName) -> [SchemaMap.Key]? {
        if way(from: start, to: end) != nil { return [] }
        guard start != end, context.isErased(start) else { return nil }
        var ways: [(table: TableName, keys: [SchemaMap.Key])] = [(start, [])]
        var seen: Set<TableName> = [start]
        while !ways.isEmpty {
            let (next, keys) = ways.removeFirst()
            var further = owning(next).map { (table: $0.target, keys: keys) }
            if owning(next).contains(where: \.isOwnedParent) {
                further += holders(of: next).filter { context.isErased($0.table) }
                    .map { (table: $0.table, keys: keys + [$0]) }
            }
            for step in further {
                if step.table == end { return step.keys }
                if seen.insert(step.table).inserted { ways.append(step) }
            }
        }
        return nil
    }

    private func lost(_ key: SchemaMap.Key) -> LostValue? {
        context.map[key.table].map { LostValue(link(by: key), in: $0) }
    }

    private func losesValue(_ key: SchemaMap.Key) -> Bool { lost(key)?.isPossible == true }

    private func link(by key: SchemaMap.Key) -> Link {
        Link(
            columns: key.key.columns, target: key.key.target, targetColumns: key.key.targetColumns,
            onDelete: key.key.onDelete)
    }

    /// With the key as a link, its rows keep no parent: they go with it, or lose the value before.
    private func remedy(_ key: SchemaMap.Key) -> String {
        let lost = lost(key)
        let owned = owning(key.table).filter(\.isOwnedParent)
        let links = Shown.name(key.table.description)
        if lost?.isPossible == true {
            let value = lost?.isClearable == false ? " and `set:`" : ""
            let added =
                "Add {\(written(key, .reference))}\(value) to the links of \(links) (rows of other users lose the "
            return added
                + (owned.isEmpty
                    ? "value; `role: owner` deletes them with the row that they name), or remove `parent: owned`."
                    : "value).")
        }
        guard !owned.isEmpty else {
            return "Add {\(written(key, .owner))} to the links of \(links), or remove `parent: owned`."
        }
        // They are owned parents themselves: one of the two ways to them has to end.
        let freed = owned.compactMap { parent -> String? in
            let keys = context.map.keys(to: key.table)
            guard let own = keys.first(where: { $0.table == parent.target && $0.key.columns == parent.targetColumns }),
                own.table != context.plan.subject.table, losesValue(own)
            else { return nil }
            let value = self.lost(own)?.isClearable == false ? " and `set:`" : ""
            return "{\(written(own, .reference))}\(value) to the links of \(Shown.name(own.table.description))"
        }
        guard freed.count == owned.count, owning(key.table).count == owned.count else {
            let column = Self.shown(key.key.columns)
            return "Make \(column) of \(links) a column that may be null, and add {\(written(key, .reference))} to its "
                + "links."
        }
        let removed = owned.map { parent in
            "the link with `parent: owned` by \(Self.shown(parent.columns))"
                + asAnswer(.unrelated, Step(table: key.table, link: parent))
        }
        return "Let rows of \(links) go with these: add {\(written(key, .owner))} to its links, remove "
            + "\(removed.joined(separator: " and ")), and add \(freed.joined(separator: " and "))."
    }

    private func written(_ key: SchemaMap.Key, _ role: Link.Role) -> String {
        var link = link(by: key)
        link.role = role
        return Shown.line(PlanFile.text(of: link), limit: 300)
    }

    private static func shown(_ columns: [String]) -> String { Shown.line(columns.joined(separator: ", "), limit: 120) }
}
