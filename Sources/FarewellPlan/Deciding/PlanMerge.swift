// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Adds the tables that a database gained to the text of a plan, and changes nothing in it.
package struct PlanMerge {
    /// The text with the new entries and questions.
    package let text: String
    /// The tables that were added.
    package let added: [TableName]
    /// How many questions were added.
    package let questions: Int
    /// Tables of the plan that the database does not have.
    package let removed: [TableName]
    /// Columns of tables in the plan that only the database, or only the plan, has.
    package let changed: [ColumnName]

    /// - Parameters:
    ///   - draft: The plan that `PlanDerivation` makes of the schema, for the same subject.
    /// - Throws: `plan.unreadable`; `plan.merge-unplaced` where the layout of the file allows no insertion.
    package init(_ draft: PlanDraft, into text: String, path: String, _ schema: Schema) throws(FarewellError) {
        let plan = try PlanFile.read(Array(text.utf8), path: path).completed(in: schema)
        // Tables that the draft leaves to a vendor's profile get entries in a plan without that profile.
        var draft = draft
        draft.plan = draft.plan.completed(in: schema)
        let live = Dictionary(SchemaMap(schema).listed.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let planned = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        let fresh = draft.plan.tables.filter { planned[$0.table] == nil }
        let known = Set(plan.questions.map { Place($0) })
        let drafted = draft.plan.questions.filter { question in
            guard let entry = planned[question.table] else { return true }
            // For a table that the plan has, only questions that cannot have been decided yet.
            let names = Set(entry.columns.map(\.name))
            return question.columns.contains { !names.contains($0) } && !known.contains(Place(question))
        }
        // Answers may have left rows in place whose columns the draft did not ask about.
        let map = SchemaMap(schema)
        let asked = known.union(drafted.map { Place($0) })
        let open = drafted + SettledColumns(plan, map).questions().filter { !asked.contains(Place($0)) }
        added = fresh.map(\.table)
        questions = open.count
        removed = plan.tables.map(\.table).filter { live[$0] == nil }
        changed = plan.tables.flatMap { entry -> [ColumnName] in
            guard let table = live[entry.table] else { return [] }
            let (theirs, ours) = (Set(table.columns.map(\.name)), Set(entry.columns.map(\.name)))
            return theirs.symmetricDifference(ours).sorted().map { ColumnName(entry.table, $0) }
        }
        let notes = draft.notes.filter { note in fresh.contains { $0.table == note.table } }
        self.text = try PlanInsertion(text, path).adding(fresh, notes, open, plan)
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
