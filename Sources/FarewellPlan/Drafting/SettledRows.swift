// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Questions that the draft would have asked, had a key said what an answer says: that rows of a table are deleted with
/// the subject. Rows of other tables that lead there, by a key or such as those of a polymorphic pair, are then asked
/// about.
struct SettledRows {
    private let plan: Plan
    private let map: SchemaMap
    private let entries: [TableName: TablePlan]
    private let asked: [TableName: [PlanQuestion]]
    private let stated: StatedColumns

    /// - Parameters:
    ///   - plan: With its answers applied.
    ///   - others: Questions that the answers lead to as well.
    init(_ plan: Plan, _ map: SchemaMap, beside others: [PlanQuestion]) {
        self.plan = plan
        self.map = map
        entries = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        asked = Dictionary(grouping: plan.questions + others, by: \.table)
        stated = StatedColumns(entries, asked: asked)
    }

    /// The questions that the plan does not hold, in the order of tables.
    func questions() -> [PlanQuestion] {
        let (links, parents) = answered()
        guard !links.isEmpty || !parents.isEmpty else { return [] }
        // Rows that a table connects with users may have rows of their own. The keys to other owned parents, such as
        // files, keep those; a column without a key says less.
        let between = betweens(parents)
        let files = Set(parents.keys).subtracting(between.keys).subtracting(links.keys)
        let sides = Set(between.values.joined())
        let all = links.merging(parents.mapValues { _ in [] }) { first, _ in first }
        var before = PlanReach(root: plan.subject, map: map)
        before.follow()
        var after = PlanReach(root: plan.subject, map: map, given: all)
        after.follow()
        let fresh = map.listed.map(\.name).filter { table in
            !before.erased.contains(table) && isErased(table) && (after.erased.contains(table) || parents[table] != nil)
        }
        let (first, second) = (DraftedQuestions(reach: before, map: map), DraftedQuestions(reach: after, map: map))
        let targets = mayGrow ? [] : fresh
        // The profile of a vendor knows the contents of its tables, or asks about them.
        let own = map.listed.filter { entries[$0.name] != nil && plan.vendor(of: $0, map.schema.role) == nil }
        return own.flatMap { table -> [PlanQuestion] in
            // The answer about a pair is also about what it says of its own rows.
            let isOfPairs = links[table.name]?.allSatisfy { !Self.isOfEmpty($0) } ?? false
            let leading = { (columns: [String]) -> [TableName] in
                due(columns, in: table.name, to: targets).filter {
                    !(isOfPairs && $0 == table.name) && !isOwned($0, through: table.name)
                }
            }
            // The same pair is not asked about again because other pairs were answered.
            let pairs = second.pairs(table) { columns in
                leading(columns).filter { !isAsked(columns, of: table.name) || !isOnlyOfPairs($0) }
            }.map(likelyFirst)
            let again = second.pairs(table) { columns in
                leading(columns).filter { isAsked(columns, of: table.name) && isOnlyOfPairs($0) }
            }.compactMap { repeated($0, in: table) }
            let parents = after.parents[table.name] ?? []
            // No question is asked about a link to rows that other answers keep.
            var others = second.questions(table).filter { question in
                isPlain(question) && !parents.contains(question) && !isKey(question, of: table, to: files)
                    && question.links.allSatisfy { $0.target == plan.subject.table || isErased($0.target) }
                    && !isKnown(question) && !sides.contains(Side(table.name, question.columns))
            }
            if !others.isEmpty {
                let drafted = Set(first.questions(table).map(Place.init))
                others.removeAll { drafted.contains(Place($0)) }
            }
            let keys = second.keys(table, to: fresh).filter { question in
                table.name != plan.subject.table && !isKnown(question) && !isKey(question, of: table, to: files)
                    && !sides.contains(Side(table.name, question.columns))
                    && !others.contains { $0.columns == question.columns && $0.link != nil }
            }
            return others + keys + pairs + again
        }
    }

    /// Whether an open question may still give rows to the subject, other than one about a pair. The tables to which
    /// rows of pairs lead are known when it is answered, so that each pair is asked about once for all of them.
    private var mayGrow: Bool {
        plan.questions.contains { question in
            question.isOpen && question.answers.contains(.owner) && !PairQuestion.isOne(question)
                && !question.links.isEmpty && !isErased(question.table)
        }
    }

    /// Whether rows of a table are owned parents of another's, or of rows that are found through these. Found through
    /// the same rows, they would decide about themselves, which `check` refuses. Rows of a pair may be found through
    /// any others: nothing but them leads to their owned parents, such as the files of attachments.
    private func isOwned(_ parent: TableName, through table: TableName) -> Bool {
        var open = holders(of: parent)
        var seen = Set(open)
        while let next = open.popLast() {
            if next == table || isOfPair(next) { return true }
            for link in entries[next]?.links ?? [] where !link.isReference && seen.insert(link.target).inserted {
                open.append(link.target)
            }
        }
        return false
    }

    /// The tables whose rows own those of a table, or the rows by which alone these are found: the attachments, of a
    /// blob and of the smaller copies of its picture.
    private func holders(of table: TableName) -> [TableName] {
        var (whole, seen) = (table, Set([table]))
        while true {
            let links = (entries[whole]?.links ?? []).filter { !$0.isReference }
            let holders = links.filter(\.isOwnedParent).map(\.target)
            guard holders.isEmpty, links.count == 1, seen.insert(links[0].target).inserted else { return holders }
            whole = links[0].target
        }
    }

    private func isOfPair(_ table: TableName) -> Bool {
        (asked[table] ?? []).contains(where: PairQuestion.isOne)
            || entries[table]?.links.contains { !Self.isOfEmpty($0) } ?? false
    }

    /// Whether no link gives rows of a table to the subject without one of a pair of columns.
    private func isOnlyOfPairs(_ table: TableName) -> Bool {
        var (open, seen) = ([table], Set([table]))
        while let next = open.popLast() {
            if next == plan.subject.table { return false }
            for link in entries[next]?.links ?? []
            where !link.isReference && Self.isOfEmpty(link) && seen.insert(link.target).inserted {
                open.append(link.target)
            }
        }
        return true
    }

    private func isAsked(_ columns: [String], of table: TableName) -> Bool { !earlier(columns, of: table).isEmpty }

    /// The questions about a pair that the plan holds, with links.
    private func earlier(_ columns: [String], of table: TableName) -> [PlanQuestion] {
        (asked[table] ?? []).filter { $0.columns == columns && !$0.links.isEmpty && PairQuestion.isOne($0) }
    }

    /// The question about a pair that was asked about before, with the same answer; `nil` while that is open, and where
    /// the pair names no user. It stays open where the same answer is not possible.
    private func repeated(_ question: PlanQuestion, in table: SchemaTable) -> PlanQuestion? {
        let earlier = earlier(question.columns, of: question.table)
        guard !question.links.isEmpty, !earlier.contains(where: \.isOpen), let answer = earlier.last?.answer,
            answer != .unrelated
        else { return nil }
        let isPossible = answer == .owner || question.links.allSatisfy { LostValue($0, in: table).isClearable }
        guard isPossible else { return question }
        guard question.answers.contains(answer) else { return likelyFirst(question) }
        var question = question
        (question.answer, question.isImplied) = (answer, true)
        return question
    }

    /// The author's answer about other tables of the same pair is likely here, too.
    private func likelyFirst(_ question: PlanQuestion) -> PlanQuestion {
        let answers = (asked[question.table] ?? []).filter { $0.columns == question.columns }.compactMap(\.answer)
        guard let last = answers.last, let place = question.answers.firstIndex(of: last) else { return question }
        var question = question
        question.answers.remove(at: place)
        question.answers.insert(last, at: 0)
        return question
    }

    /// The links by which answers gave rows to the subject, and those by which they gave owned parents.
    private func answered() -> (links: [TableName: [Link]], parents: [TableName: [Link]]) {
        var links: [TableName: [Link]] = [:]
        var parents: [TableName: [Link]] = [:]
        for question in plan.questions where question.answer == .owner && isErased(question.table) {
            for link in question.links {
                if link.isOwnedParent {
                    parents[question.table, default: []].append(link)
                } else {
                    links[question.table, default: []].append(link)
                }
            }
        }
        return (links, parents)
    }

    /// The owned parents that tables connect with users, with the keys of those tables.
    private func betweens(_ parents: [TableName: [Link]]) -> [TableName: [Side]] {
        let people = PersonTables.of(plan.subject, map)
        return parents.compactMapValues { links in
            let sides = links.filter { link in
                map[link.target].flatMap { LinkTable($0, by: link.targetColumns, people: people, map) } != nil
            }.map { Side($0.target, $0.targetColumns) }
            return sides.isEmpty ? nil : sides
        }
    }

    private struct Side: Hashable {
        let table: TableName
        let columns: [String]

        init(_ table: TableName, _ columns: [String]) { (self.table, self.columns) = (table, columns) }
    }

    private func isErased(_ table: TableName) -> Bool {
        table != plan.subject.table && entries[table]?.rule.erasesRows == true
    }

    /// Whether a question is about a key of the database to rows of certain tables.
    private func isKey(_ question: PlanQuestion, of table: SchemaTable, to targets: Set<TableName>) -> Bool {
        guard let link = question.link, targets.contains(link.target) else { return false }
        return map.keys(of: table.name).contains { $0.key.columns == link.columns }
    }

    /// Whether a question is about a plain link, not about one of a pair of columns.
    private func isPlain(_ question: PlanQuestion) -> Bool { question.links.allSatisfy(Self.isOfEmpty) }

    /// Whether a link is about every row, or about those without a user, such as a guest's.
    private static func isOfEmpty(_ link: Link) -> Bool { link.condition.parts.allSatisfy(\.isNull) }

    private func isKnown(_ question: PlanQuestion) -> Bool {
        let isAsked = (asked[question.table] ?? []).contains {
            $0.columns == question.columns && ($0.link != nil || question.link == nil)
        }
        let isLinked =
            entries[question.table]?.links.contains { link in
                link.columns == question.columns || link.columns == question.link?.columns
            } ?? false
        return isAsked || isLinked || stated.contains(question.columns, of: question.table)
    }

    /// The tables of which nothing says yet what the rows of a pair are that lead there.
    private func due(_ columns: [String], in table: TableName, to targets: [TableName]) -> [TableName] {
        let questions = (asked[table] ?? []).filter { $0.columns == columns }
        // Where rows were read, the tables that they name have been asked about; without links, too many were.
        guard !targets.isEmpty, !questions.contains(where: { $0.links.isEmpty || PairQuestion.isSampled($0) }),
            !stated.contains(columns, of: table)
        else { return [] }
        let links = (entries[table]?.links ?? []).filter { $0.columns.contains(where: columns.contains) }
        let known = Set((questions.flatMap(\.links) + links).map(\.target))
        return targets.filter { !known.contains($0) }
    }

    private struct Place: Hashable {
        let columns: [String]
        let target: TableName?

        init(_ question: PlanQuestion) {
            columns = question.columns
            target = question.link?.target
        }
    }
}
