// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The questions about pairs of columns by which rows may lead to rows of certain tables; one for each pair.
    ///
    /// - Parameter targets: For each pair, by the names of both columns, the tables that the question is about.
    func pairs(_ table: SchemaTable, to targets: ([String]) -> [TableName]) -> [PlanQuestion] {
        (reach.suspected[table.name] ?? []).flatMap { suspect -> [PlanQuestion] in
            // The draft has asked about each value of a closed list that names a table.
            guard let type = suspect.typeColumn, type.kind != .integer, type.kind != .number, type.labels == nil else {
                return []
            }
            let wanted = targets(suspect.columns)
            guard wanted.count <= Self.mostParents else {
                return [tooMany(suspect, type, wanted.count, in: table)]
            }
            let asked = wanted.compactMap { target -> PlanQuestion? in
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

    /// A question that names so many tables is unreadable, and its first answer would delete rows of all of them.
    private func tooMany(
        _ suspect: SuspectedLink, _ type: SchemaColumn, _ count: Int, in table: SchemaTable
    ) -> PlanQuestion {
        PlanQuestion(
            table: table.name, columns: suspect.columns,
            reason: "By their names, \(Self.shown(type.name)) and \(Self.shown(suspect.column.name)) may lead to rows "
                + "of \(count) tables that answers gave to the subject. `farewell init --sample` reads which tables "
                + "\(Self.shown(type.name)) names, and asks about each; or write the links yourself.",
            answers: [.unrelated])
    }
}
