// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Values that the answer `reference` needs: a column that may not be null keeps no reference without another value in
/// its place (`set`), such as the key of a row that represents deleted ones.
package struct MissingReplacement {
    private let questions: [PlanQuestion]
    private let map: SchemaMap

    package init(_ plan: Plan, _ schema: Schema) {
        questions = plan.questions
        map = SchemaMap(schema)
    }

    /// Those of some questions, by their numbers, whose answer `reference` the check would refuse without a value.
    package func of(_ numbers: [Int]) -> [Int] {
        numbers.filter { number in replaced(by: number).contains { $0.replacement == nil } }
    }

    /// Those of some questions, by their numbers, whose answer `reference` takes a value: those that need one, and
    /// those that have one.
    package func taking(_ numbers: [Int]) -> [Int] { numbers.filter { !replaced(by: $0).isEmpty } }

    /// Why a value does not fit a column of these questions, in a few words; `nil` if it fits all.
    package func problem(_ value: String, in numbers: [Int]) -> String? {
        for number in numbers {
            for link in replaced(by: number) where link.path.isEmpty {
                guard let column = map.column(questions[number].table, link.columns[0]) else { continue }
                if let problem = ConstantFit.problem(value, column) { return problem }
            }
        }
        return nil
    }

    /// The links of a question whose reference a value replaces: it has one, or the column may not be null and can take
    /// one value in every row.
    private func replaced(by number: Int) -> [Link] {
        let question = questions[number]
        guard question.answers.contains(.reference), let table = map[question.table] else { return [] }
        return question.links.filter { link in
            guard link.replacement == nil else { return true }
            guard link.path.isEmpty, link.list == nil, !link.isOwnedParent,
                LostValue(link, in: table).isReplaceable, let column = table[link.columns[0]]
            else { return false }
            return !column.isNullable || table.primaryKey.contains(column.name)
        }
    }
}
