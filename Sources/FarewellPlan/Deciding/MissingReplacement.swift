// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Values that the answer `reference` needs (`set`), such as the key of a row that represents deleted rows. They take
/// the place of a reference in a column that may not be null, or in which a check refuses null in every row with a
/// value.
package struct MissingReplacement {
    private let questions: [PlanQuestion]
    private let context: CheckContext
    private let refusals: [Int: SchemaCheck]

    /// - Parameter refusals: Checks of which only the database says that they refuse null, by the numbers of the
    ///   questions (`NullProbe`).
    package init(_ plan: Plan, _ schema: Schema, refusals: [Int: SchemaCheck] = [:]) {
        questions = plan.questions
        context = CheckContext(plan, schema)
        self.refusals = refusals
    }

    private var map: SchemaMap { context.map }

    /// Those of some questions, by their numbers, whose answer `reference` the check would refuse without a value.
    package func of(_ numbers: [Int]) -> [Int] {
        numbers.filter { number in replaced(by: number).contains { $0.replacement == nil } }
    }

    /// The questions, by number, whose answer `reference` takes a value: they need one, they have one, or a check may
    /// refuse null in their columns, depending on other columns.
    package func taking(_ numbers: [Int]) -> [Int] { numbers.filter { !replaceable(by: $0).isEmpty } }

    /// The questions, by number, whose columns have checks that do not depend only on which columns are null. The
    /// database itself says whether such a check refuses null.
    package func undecided(_ numbers: [Int]) -> [Int] {
        numbers.filter { number in
            guard questions[number].answers.contains(.reference), let table = map[questions[number].table] else {
                return false
            }
            return replaced(by: number).isEmpty
                && questions[number].links.contains { link in
                    LostValue(link, in: table).isReplaceable
                        && !table.checks.allSatisfy { check in
                            !link.columns.contains(where: check.columns.contains) || NullCondition(check) != nil
                        }
                }
        }
    }

    /// Why the value of a question's column cannot become null, in a few words after the place of the question.
    package func obstacle(in number: Int) -> String {
        let question = questions[number]
        let known = map[question.table].flatMap { table in
            replaced(by: number).compactMap { LostValue($0, in: table).check }.first
        }
        guard let check = known ?? refusals[number] else { return "may not be null" }
        let name = check.name.isEmpty ? "a check of the table" : "the check \(Shown.name(check.name))"
        return "may not be null, because \(name) refuses that"
    }

    /// Why a value does not fit a column of these questions, in a few words; `nil` if it fits all.
    package func problem(_ value: String, in numbers: [Int]) -> String? {
        for number in numbers {
            for link in replaceable(by: number) where link.path.isEmpty {
                let name = ReferenceChange.replaced(by: link, to: context.referenceTarget(link))
                guard let column = name.flatMap({ map.column(questions[number].table, $0) }) else { continue }
                if let problem = ConstantFit.problem(value, column) { return problem }
            }
        }
        return nil
    }

    /// The links of a question whose reference a value replaces: it has one, or the column cannot be set to null and
    /// can take one value in every row.
    private func replaced(by number: Int) -> [Link] {
        links(of: number) { lost, _ in !lost.isClearable || refusals[number] != nil }
    }

    /// The same, and the links whose column a check may keep from null in some rows.
    private func replaceable(by number: Int) -> [Link] {
        links(of: number) { lost, table in
            guard lost.isClearable, refusals[number] == nil else { return true }
            var link = lost.link
            link.replacement = nil
            return ReferenceChange.columns(of: link, in: table, to: context.referenceTarget(link)).contains { column in
                Self.mayBeRefused(column, in: table)
            }
        }
    }

    private func links(of number: Int, _ isReplaced: (LostValue, SchemaTable) -> Bool) -> [Link] {
        let question = questions[number]
        guard question.answers.contains(.reference), let table = map[question.table] else { return [] }
        return question.links.filter { link in
            guard link.replacement == nil else { return true }
            // A column that the table does not have is left to the check.
            guard link.path.isEmpty, link.list == nil, !link.isOwnedParent,
                !link.columns.isEmpty, link.columns.allSatisfy({ table[$0] != nil })
            else { return false }
            let lost = LostValue(link, in: table)
            return lost.isReplaceable && isReplaced(lost, table)
        }
    }

    private static func mayBeRefused(_ column: String, in table: SchemaTable) -> Bool {
        table.checks.contains { check in
            check.columns.count > 1 && check.columns.contains(column) && check.asksForNull(column)
                && table.refusal(by: check, of: [column]) != .never
        }
    }
}
