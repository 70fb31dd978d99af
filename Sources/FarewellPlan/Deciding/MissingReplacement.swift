// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Values that the answer `reference` needs: a column that may not be null keeps no reference without another value in
/// its place (`set`), such as the key of a user that stands for deleted users.
package struct MissingReplacement {
    private let questions: [PlanQuestion]
    private let map: SchemaMap

    package init(_ plan: Plan, _ schema: Schema) {
        questions = plan.questions
        map = SchemaMap(schema)
    }

    /// Those of some questions, by their numbers, whose answer `reference` the check would refuse without a value.
    package func of(_ numbers: [Int]) -> [Int] { numbers.filter { !columns(of: $0).isEmpty } }

    /// Why a value does not fit a column of these questions, in a few words; `nil` if it fits all.
    package func problem(_ value: String, in numbers: [Int]) -> String? {
        for column in numbers.flatMap(columns(of:)) {
            if let problem = ConstantFit.problem(value, column) { return problem }
        }
        return nil
    }

    /// The columns that may not be null and can take one value in every row.
    private func columns(of number: Int) -> [SchemaColumn] {
        let question = questions[number]
        guard question.answers.contains(.reference), let table = map[question.table] else { return [] }
        return question.links.compactMap { link in
            guard link.replacement == nil, link.path.isEmpty, link.list == nil, !link.isOwnedParent,
                LostValue(link, in: table).isReplaceable, let column = table[link.columns[0]]
            else { return nil }
            return column.isNullable && !table.primaryKey.contains(column.name) ? nil : column
        }
    }
}
