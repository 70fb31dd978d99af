// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Adds the tables that a database gained, the columns that the session authority's own tables gained, and the buckets
/// that a vendor's project gained, to the text of a plan, and changes nothing else in it.
package struct PlanMerge {
    /// The text with the new entries and questions.
    package let text: String
    /// The tables that were added.
    package let added: [TableName]
    /// The columns that were added to the session authority's own tables.
    package let addedColumns: [ColumnName]
    /// The systems that were added, one for each bucket that had none.
    package let systems: [SystemPlan]
    /// Whether an added system lacks the address of the project, which is not known.
    package var isAddressMissing: Bool {
        systems.contains { $0.settings["endpoint"]?.hasPrefix(VendorDraft.nowhere) == true }
    }
    /// How many questions were added and are open: those whose answer follows from others are not.
    package let questions: Int
    /// How many questions `decide` asks about this plan, with those that were open before.
    package let open: Int
    /// Tables of the plan that the database does not have.
    package let removed: [TableName]
    /// Columns of tables in the plan that only the database, or only the plan, has.
    package let changed: [ColumnName]

    /// - Parameters:
    ///   - draft: The plan that `PlanDerivation` makes of the schema, for the same subject.
    /// - Throws: `plan.unreadable`; `plan.merge-unplaced` where the layout of the file allows no insertion.
    package init(_ draft: PlanDraft, into text: String, path: String, _ schema: Schema) throws(FarewellError) {
        let written = try PlanFile.read(Array(text.utf8), path: path)
        let completed = CompletedPlan(written, SchemaMap(schema))
        let plan = completed.plan
        let asDrafted = draft.plan
        // Tables that the draft leaves to a vendor's profile get entries in a plan without that profile.
        var draft = draft
        draft.plan = draft.plan.completed(in: schema)
        let live = Dictionary(SchemaMap(schema).listed.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let planned = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        // Tables that the plan leaves to a vendor, whose facts propose an entry.
        let ofVendors = Set(VendorDraft.missing(in: written, SchemaMap(schema)).plan.tables.map(\.table))
        // The session authority's own tables, of which the plan lacks an entry.
        let proposed = ofVendors.union(completed.ownTables)
        let fresh = draft.plan.tables.compactMap { entry -> TablePlan? in
            // An entry in a vendor's table names no columns: the vendor may add and drop them.
            if proposed.contains(entry.table) { return asDrafted[entry.table] ?? entry }
            return planned[entry.table] == nil ? entry : nil
        }
        let map = SchemaMap(schema)
        let known = Set(plan.questions.map { Place($0) })
        let possible = draft.possibleQuestions.filter { question in
            guard let entry = planned[question.table], !proposed.contains(question.table) else { return true }
            // For a table that the plan has, only questions that cannot have been decided yet.
            let names = Set(entry.columns.map(\.name))
            return question.columns.contains { !names.contains($0) } && !known.contains(Place(question))
        }
        // The plan and its open questions may give rows to users that no answer of the draft gives them.
        var joined = draft.plan
        let renewed = Set(fresh.map(\.table))
        joined.tables = plan.tables.filter { !renewed.contains($0.table) } + fresh
        joined.questions = plan.questions.filter(\.isOpen) + possible
        let offered = Set(possible.map { Place($0) })
        let decided = Dictionary(grouping: plan.questions.filter { !$0.isOpen }, by: \.table)
            .mapValues { Set($0.flatMap(\.columns)) }
        let drafted = OfferedTargets(map).settled(joined).questions.filter { question in
            guard !known.contains(Place(question)) else { return false }
            // A question that replaces an unoffered link repeats no answered column.
            return offered.contains(Place(question))
                || decided[question.table, default: []].isDisjoint(with: question.columns)
        }
        // Answers may lead to questions that the draft did not ask.
        let asked = known.union(drafted.map { Place($0) })
        let columns = SettledColumns(plan, map).questions().filter { !asked.contains(Place($0)) }
        let parents = SettledParents(plan, map, beside: drafted + columns).questions()
        let owned = drafted + columns + parents.filter { !asked.contains(Place($0)) }
        let found = owned + SettledRows(plan, map, beside: owned).questions()
        added = fresh.map(\.table)
        removed = written.tables.map(\.table).filter { live[$0] == nil }
        let placed = Self.adding(completed.ownColumns, as: asDrafted, to: text, path)
        addedColumns = placed.columns
        let unlike = plan.tables.flatMap { entry -> [ColumnName] in
            guard let table = live[entry.table] else { return [] }
            let (theirs, ours) = (Set(table.columns.map(\.name)), Set(entry.columns.map(\.name)))
            return theirs.symmetricDifference(ours).sorted().map { ColumnName(entry.table, $0) }
        }
        changed = unlike + completed.ownColumns.filter { !placed.columns.contains($0) }
        let notes = draft.notes.filter { note in fresh.contains { $0.table == note.table } }
        systems = Self.systems(of: draft.plan, besides: written)
        let insertion = PlanInsertion(placed.text, path)
        let asking = try insertion.adding(fresh, notes, found, systems, to: written)
        let followed = Self.followed(asking, path, schema)
        let settled = followed.map { Array($0.dropFirst(written.questions.count)) } ?? found
        let merged = settled == found ? asking : try insertion.adding(fresh, notes, settled, systems, to: written)
        questions = settled.count(where: \.isOpen)
        open = (followed ?? written.questions + found).count(where: \.isOpen)
        let isOwn = !completed.ownTables.isEmpty || !placed.columns.isEmpty
        self.text = isOwn ? Self.renewed(merged, of: written, path, schema) : merged
    }

    /// The questions as `decide` finds them before it asks: with the answers that follow from others, and what these
    /// lead to; `nil` where the layout of the file allows no answer.
    private static func followed(_ text: String, _ path: String, _ schema: Schema) -> [PlanQuestion]? {
        guard var found = try? AnswerConsequences(text, path: path, schema) else { return nil }
        do {
            try found.reopenRefused(schema, keeping: [])
        } catch {
            return nil
        }
        return found.plan.questions
    }

    /// The text with these columns, and those of them for which its layout has a place.
    private static func adding(
        _ columns: [ColumnName], as draft: Plan, to text: String, _ path: String
    ) -> (text: String, columns: [ColumnName]) {
        var (merged, placed): (String, [ColumnName]) = (text, [])
        for (table, names) in Dictionary(grouping: columns, by: \.table).sorted(by: { $0.key < $1.key }) {
            let planned = names.map { name in
                var column = TablePlan.PlannedColumn(name.column)
                column.export = draft[table]?.columns.first { $0.name == name.column }?.export
                return column
            }
            guard let changed = ColumnInsertion(path).adding(planned, to: table, in: merged) else { continue }
            merged = changed
            placed += names
        }
        return (merged, placed)
    }

    /// A plan that fits the schema fits it also with the session authority's new tables and columns.
    private static func renewed(_ text: String, of written: Plan, _ path: String, _ schema: Schema) -> String {
        guard let recorded = written.schemaFingerprint, recorded == written.fingerprint(of: schema),
            text.ranges(of: recorded).count == 1,
            let fingerprint = try? PlanFile.read(Array(text.utf8), path: path).fingerprint(of: schema, recorded: nil)
        else { return text }
        return text.replacing(recorded, with: fingerprint)
    }

    /// One for each bucket that has none, at the place of the plan's other systems of that kind.
    private static func systems(of draft: Plan, besides plan: Plan) -> [SystemPlan] {
        let vendors = plan.vendors.compactMap { VendorProfile.named($0.vendor)?.files?.system }
        var names = Set(plan.systems.map { Array($0.name.utf8) })
        return draft.systems.compactMap { drafted in
            let alike = plan.systems.filter { $0.kind == drafted.kind }
            guard let bucket = drafted.settings["bucket"], vendors.contains(drafted.kind) || !alike.isEmpty,
                !alike.contains(where: { $0.settings["bucket"]?.utf8.elementsEqual(bucket.utf8) == true })
            else { return nil }
            var system = drafted
            var number = 2
            while !names.insert(Array(system.name.utf8)).inserted {
                system.name = "\(drafted.name)-\(number)"
                number += 1
            }
            guard let known = alike.first else { return system }
            system.settings["endpoint"] = known.settings["endpoint"] ?? drafted.settings["endpoint"]
            system.secrets = known.secrets
            system.person = known.person
            return system
        }
    }

    private struct Place: Hashable {
        let table: TableName
        let columns: [String]

        init(_ question: PlanQuestion) {
            table = question.table
            columns = question.columns
        }
    }
}
