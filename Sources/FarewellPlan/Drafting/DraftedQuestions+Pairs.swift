// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The most tables that one question names: a plan with many pairs and tables stays readable.
    private static let mostTargets = 64

    /// The questions about pairs of columns by which rows may lead to rows of certain tables; one for each pair.
    ///
    /// - Parameter targets: For each pair, by the names of both columns, the tables that the question is about.
    func pairs(_ table: SchemaTable, to targets: ([String]) -> [TableName]) -> [PlanQuestion] {
        (reach.suspected[table.name] ?? []).flatMap { suspect -> [PlanQuestion] in
            // The draft has asked about each value of a closed list that names a table.
            guard let type = suspect.typeColumn, type.kind != .integer, type.kind != .number, type.labels == nil else {
                return []
            }
            let asked = targets(suspect.columns).prefix(Self.mostTargets).compactMap { target -> PlanQuestion? in
                guard var link = link(of: suspect, to: target) else { return nil }
                link.condition = LinkCondition([.init(column: type.name, values: PolymorphicPair.names(of: target))])
                return polymorphic(suspect, type, link, Self.correctTheNames, in: table)
            }
            let ending = Self.correctTheNames + (suspect.column.isComputed ? Self.computed : "")
            return PairQuestion.together(asked, type.name, suspect.column.name, isSampled: false, ending).map {
                withoutOthersRows(Self.withValue($0, in: table), in: table)
            }
        }
    }
}
