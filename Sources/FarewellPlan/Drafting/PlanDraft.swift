// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A first plan for a schema, with what its author should look at.
public struct PlanDraft: Sendable, Hashable {
    public var plan: Plan
    /// Comments for the plan file: the guesses, and the decisions for the author.
    public var notes: [PlanNote]
    /// Questions that names alone leave without some answers, as they were before: rows may show what names do not.
    var withheld: [PlanQuestion: PlanQuestion] = [:]
    /// The questions about addresses that are asked only because other questions are left without those answers.
    var added: Set<PlanQuestion> = []

    /// The questions as names alone lead to them, before it is known where links can lead.
    var possibleQuestions: [PlanQuestion] {
        plan.questions.map { withheld[$0] ?? $0 }.filter { !added.contains($0) }
    }
}
