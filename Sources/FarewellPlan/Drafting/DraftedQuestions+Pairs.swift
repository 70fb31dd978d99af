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
            guard let type = suspect.typeColumn, type.kind != .integer, type.kind != .number,
                PairValues.listed(type, in: table) == nil
            else { return [] }
            let links = targets(suspect.columns).compactMap { link(of: suspect, in: table, to: $0) }
            guard links.count <= Self.mostTargets else {
                return [tooMany(links.count, suspect.columns, type.name, in: table)]
            }
            let asked = links.map { link in
                var link = link
                link.condition = LinkCondition(
                    [.init(column: type.name, values: typeNames(of: link.target))])
                return polymorphic(suspect, type, link, Self.correctTheNames, in: table)
            }
            let ending = Self.correctTheNames + (suspect.column.isComputed ? Self.computed : "")
            return PairQuestion.together(asked, type.name, suspect.column.name, isSampled: false, ending).map {
                namingOthers(withoutOthersRows(Self.withValue($0, in: table, map), in: table), in: table)
            }
        }
    }

    /// The schema lists all values that the type column can have: those that mean no table with rows of people lead to
    /// no subject.
    func listed(
        _ suspect: SuspectedLink, _ type: SchemaColumn, _ values: PairValues, in table: SchemaTable
    ) -> [PlanQuestion] {
        let others = map.listed.map(\.name).filter { reach.possible.contains($0) && $0 != reach.root.table }
        var guessed: [PlanQuestion] = []
        let asked = ([reach.root.table] + others).compactMap { target -> PlanQuestion? in
            guard var link = link(of: suspect, in: table, to: target) else { return nil }
            let names = values.names(of: target)
            let guess = names.isEmpty ? values.guess(of: target) : nil
            let meant = guess?.values ?? names
            guard !meant.isEmpty else { return nil }
            link.condition = LinkCondition([.init(column: type.name, values: meant)])
            guard let guess else { return polymorphic(suspect, type, link, "", in: table) }
            let shown = meant.map { Shown.line(YAMLScalar.quoted($0), limit: 80) }.joined(separator: ", ")
            var question = polymorphic(
                suspect, type, link, "; probably that is \(shown): correct the values in `where` if not", in: table)
            if !guess.isClear { question.answers = [.unrelated] + question.answers.filter { $0 != .unrelated } }
            guessed.append(question)
            return nil
        }
        let certain = asked.filter { $0.links.allSatisfy { reach.erased.contains($0.target) } }
        let named = PairQuestion.together(
            certain, type.name, suspect.column.name, isSampled: false, suspect.column.isComputed ? Self.computed : "")
        let questions = named + asked.filter { !certain.contains($0) } + guessed
        let isOfUsers = questions.contains { $0.link?.target == reach.root.table }
        return isOfUsers ? questions : (unnamed(suspect, type, values, in: table).map { [$0] } ?? []) + questions
    }

    /// The question about listed values that name no table: they may mean users.
    private func unnamed(
        _ suspect: SuspectedLink, _ type: SchemaColumn, _ values: PairValues, in table: SchemaTable
    ) -> PlanQuestion? {
        let unnamed = values.unclear
        guard !unnamed.isEmpty, link(of: suspect, in: table, to: reach.root.table) != nil else { return nil }
        let (kind, id) = (Shown.line(type.name, limit: 120), Shown.line(suspect.column.name, limit: 120))
        let shown = unnamed.prefix(8).map { Shown.line(YAMLScalar.quoted($0), limit: 80) }.joined(separator: ", ")
        let name = unnamed.count == 1 ? "names" : "name"
        let users = Shown.line(reach.root.table.description, limit: 160)
        return PlanQuestion(
            table: table.name, columns: suspect.columns,
            reason: "\(kind) gives the table that \(id) refers to, and \(shown) \(name) none; if it means \(users), "
                + "write a link with `where: {\(kind): VALUE}` into the table's entry.",
            answers: [.unrelated])
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
