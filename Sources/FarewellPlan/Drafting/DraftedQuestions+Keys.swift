// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The questions about keys to rows that an answer gives to the subject, as the draft asks before the answer.
    func keys(_ table: SchemaTable, to targets: [TableName]) -> [PlanQuestion] {
        (reach.keys[table.name] ?? []).compactMap { key, ownership in
            // An unclear key to rows that are deleted is a question anyway.
            if case .unclear = ownership { return nil }
            guard targets.contains(key.target), let question = perhaps(key, ownership, in: table) else { return nil }
            let asked = namingOthers(
                withoutOthersRows(Self.withValue(question, in: table, map), in: table), in: table)
            return isWithoutAnswer(asked, in: table) ? nil : asked
        }
    }
}
