// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The questions that answers of a plan lead to: columns of rows that stay only because of answers, and rows that the
/// subject's rows may own.
package struct FollowingQuestions {
    /// The text of the plan with the new questions.
    package let text: String
    /// How many questions were added; they are the last of the file.
    package let count: Int
    /// The errors that the check finds beside open questions: an answer may need more than itself, such as a value for
    /// a column that may not be null.
    package let errors: [Finding]

    /// - Throws: `plan.unreadable`; `plan.merge-unplaced` where the layout of the file allows no insertion.
    package init(_ text: String, path: String, _ schema: Schema) throws(FarewellError) {
        let written = try PlanFile.read(Array(text.utf8), path: path)
        errors = Self.errors(written, schema)
        let questions = Self.of(written, schema)
        count = questions.count
        self.text = try PlanInsertion(text, path).adding([], [], questions, [], to: written)
    }

    /// The errors that the check finds beside open questions and what `decide` adds.
    package static func errors(_ plan: Plan, _ schema: Schema) -> [Finding] {
        PlanCheck.findingsBesideQuestions(plan, schema).filter { $0.severity == .error && $0.code != "question.open" }
    }

    /// The questions that answers lead to and that the plan does not hold.
    ///
    /// - Parameter plan: With its answers applied.
    package static func of(_ plan: Plan, _ schema: Schema) -> [PlanQuestion] {
        let (plan, map) = (plan.completed(in: schema), SchemaMap(schema))
        let columns = SettledColumns(plan, map).questions()
        let owned = columns + SettledParents(plan, map, beside: columns).questions()
        return owned + SettledRows(plan, map, beside: owned).questions()
    }

    /// The tables whose rows stay because of an answer, and whose columns may describe the subject by their names; the
    /// database may show that some need no question.
    ///
    /// - Parameter plan: With its answers applied.
    package static func expected(_ plan: Plan) -> [TableName] {
        let asked = Dictionary(grouping: plan.questions, by: \.table)
        return plan.tables.filter { entry in
            let questions = asked[entry.table] ?? []
            let known = Set(questions.flatMap(\.columns) + entry.links.flatMap(\.columns))
            let others = entry.columns.map(\.name).filter { !known.contains($0) }
            if SettledColumns.stay(entry, questions, plan.subject) {
                return others.contains(where: StayingColumns.soundsPersonal)
            }
            // One address stands for its row.
            let settled = Set(entry.columns.filter { $0.rule?.isNotPersonal == true }.map(\.name))
            return SettledColumns.isCutOff(entry, questions, plan.subject)
                && others.contains { !settled.contains($0) && isAddress($0) } && !known.contains(where: isAddress)
        }.map(\.table)
    }

    private static func isAddress(_ column: String) -> Bool {
        let words = PersonNames.words(column)
        return ContactColumns.kind(words) != nil || UnlinkedValues.areNamed(words)
    }
}
