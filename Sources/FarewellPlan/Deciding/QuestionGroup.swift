// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Questions that are asked together: columns of the same name, in one or several tables, that lead to the same places
/// and offer the same answers.
package struct QuestionGroup: Sendable, Hashable {
    /// The numbers of its questions, in the order of the plan; at least one.
    package let numbers: [Int]

    package init(_ number: Int) { numbers = [number] }

    private init(_ numbers: [Int]) { self.numbers = numbers }

    /// The groups of some questions, each at the place of its first.
    package static func of(_ numbers: [Int], in questions: [PlanQuestion]) -> [QuestionGroup] {
        grouped(numbers) { number in
            let question = questions[number]
            // Only those with the same answer are shown together.
            return Cause(
                columns: question.columns, links: question.links, answers: question.answers, answer: question.answer,
                isImplied: question.isImplied)
        }
    }

    /// The groups of some questions by the names of their columns alone, as `farewell decide --column` chooses them;
    /// the largest first.
    package static func byColumn(_ numbers: [Int], in questions: [PlanQuestion]) -> [QuestionGroup] {
        let groups = grouped(numbers) { questions[$0].columns }
        let ordered = groups.enumerated().sorted { left, right in
            let (first, second) = (left.element.numbers.count, right.element.numbers.count)
            return first == second ? left.offset < right.offset : first > second
        }
        return ordered.map(\.element)
    }

    /// The answers that all of its questions offer.
    package func answers(in questions: [PlanQuestion]) -> [PlanQuestion.Answer] {
        questions[numbers[0]].answers.filter { answer in
            numbers.allSatisfy { questions[$0].answers.contains(answer) }
        }
    }

    private struct Cause: Hashable {
        let columns: [String]
        let links: [Link]
        let answers: [PlanQuestion.Answer]
        let answer: PlanQuestion.Answer?
        let isImplied: Bool
    }

    private static func grouped<Key: Hashable>(_ numbers: [Int], by key: (Int) -> Key) -> [QuestionGroup] {
        var places: [Key: Int] = [:]
        var groups: [[Int]] = []
        for number in numbers {
            let key = key(number)
            if let place = places[key] {
                groups[place].append(number)
            } else {
                places[key] = groups.count
                groups.append([number])
            }
        }
        return groups.map { QuestionGroup($0) }
    }
}
