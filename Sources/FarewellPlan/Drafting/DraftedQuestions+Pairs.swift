// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// The most tables that one question links to: a plan with many pairs and tables stays readable.
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
            let links = targets(suspect.columns).compactMap { link(of: suspect, to: $0) }
            guard links.count <= Self.mostTargets else {
                return [tooMany(links.count, suspect.columns, type.name, in: table)]
            }
            let asked = links.map { link in
                var link = link
                link.condition = LinkCondition(
                    [.init(column: type.name, values: PolymorphicPair.names(of: link.target))])
                return polymorphic(suspect, type, link, Self.correctTheNames, in: table)
            }
            let ending = Self.correctTheNames + (suspect.column.isComputed ? Self.computed : "")
            return PairQuestion.together(asked, type.name, suspect.column.name, isSampled: false, ending).map {
                withoutOthersRows(Self.withValue($0, in: table), in: table)
            }
        }
    }

    private func tooMany(
        _ count: Int, _ columns: [String], _ type: String, in table: SchemaTable
    ) -> PlanQuestion {
        let type = Shown.line(type, limit: 120)
        return PlanQuestion(
            table: table.name, columns: columns,
            reason: "\(type) gives the table that a row leads to, and answers give the rows of \(count) tables to the "
                + "subject; rows here that lead there stay. `farewell init --sample` reads the names of tables in "
                + "\(type), and asks about each; or write links with `where:`.",
            answers: [.unrelated])
    }
}
