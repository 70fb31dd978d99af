// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The vendors' tables through which keys of the app's tables lead to a user: `public.logins` to `auth.sessions` to
/// `auth.users`. A draft follows these keys; the entries of the vendors' tables follow from the profiles.
struct VendorPassages {
    /// The keys of each of these tables by which its rows are deleted with the user.
    let links: [TableName: [Link]]

    /// - Parameter subject: The table at which the draft begins: only a vendor's own users have such tables.
    init(
        _ map: SchemaMap, _ found: [(profile: VendorProfile, coverage: VendorCoverage)], subject: SubjectGuess
    ) {
        // The rows that the profiles have deleted where the user's row is.
        guard found.contains(where: { $0.profile.users?.table == subject.table }), let users = map[subject.table],
            VendorDraft.mayDelete(in: users, map)
        else {
            links = [:]
            return
        }
        var plan = Plan(
            subject: SubjectRoot(table: subject.table, key: subject.key),
            tables: [TablePlan(table: subject.table, rule: .erase, links: [], columns: [])])
        plan.vendors = found.map { $0.coverage }
        let completed = CompletedPlan(plan, map)
        let gone = completed.plan.tables.filter { $0.rule.erasesRows && completed.implied.contains($0.table) }
        let entries = Dictionary(gone.map { ($0.table, $0.links) }, uniquingKeysWith: { first, _ in first })
        func isVendors(_ name: TableName) -> Bool {
            guard let table = map[name] else { return true }
            return found.contains { $0.profile.owns(table, for: map.schema.role) }
        }
        var passed: [TableName: [Link]] = [:]
        var open = entries.keys.filter { name in map.keys(to: name).contains { !isVendors($0.table) } }
        while let name = open.popLast() {
            guard passed[name] == nil, let links = entries[name] else { continue }
            passed[name] = links
            open += links.map(\.target)
        }
        links = passed
    }

    /// A passage as drafts see it: its keys alone, because a profile knows what else is in it.
    func passage(_ table: SchemaTable, in map: SchemaMap) -> SchemaTable {
        guard let links = links[table.name] else { return table }
        var table = table
        table.foreignKeys = table.foreignKeys.filter { key in links.contains { $0.columns == key.columns } }
        let targets = map.keys(to: table.name).flatMap(\.key.targetColumns)
        let named = Set(table.primaryKey + table.foreignKeys.flatMap(\.columns) + targets)
        table.columns = table.columns.filter { named.contains($0.name) }
        return table
    }

    /// A draft without entries and questions of the passages themselves.
    func removed(from draft: PlanDraft) -> PlanDraft {
        guard !links.isEmpty else { return draft }
        var draft = draft
        draft.plan.tables.removeAll { links[$0.table] != nil }
        draft.plan.questions.removeAll { links[$0.table] != nil }
        draft.plan.subject.identifiers.removeAll { links[$0.table] != nil }
        draft.notes.removeAll { note in note.table.map { links[$0] != nil } ?? false }
        return draft
    }
}
