// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL

/// A random schema of users, rows of users, files and rows that hang from files, and an author who gives the same
/// answers in any order.
struct AnswerOrder {
    let schema: Schema
    private let seed: UInt64

    private static let files = ["media", "documents", "photos"]
    private static let holders = ["posts", "orders"]
    private static let dependants = ["captions", "thumbs", "ratings"]

    init(_ seed: UInt64) throws {
        self.seed = seed
        var random = PlanSeed(seed: seed)
        var tables = [SchemaSketch.table("users", "id int pk", "email text unique")]
        func column(to target: String) -> String {
            let name = "\(EnglishNoun.singular(target))_id int"
            let nullable = random.below(2) == 0 ? "" : " not-null"
            let key = random.pick(["", " -> \(target).id", " -> \(target).id", " -> \(target).id cascade"])
            return name + nullable + key
        }
        func add(_ name: String, _ columns: [String]) {
            var table = SchemaSketch.table(name, "id int pk", "body text")
            for words in columns {
                let one = SchemaSketch.table(name, words)
                table.columns += one.columns
                table.foreignKeys += one.foreignKeys
                table.indexes += one.indexes
            }
            tables.append(table)
        }
        for name in Self.files { add(name, random.below(4) == 0 ? [] : [random.pick(["uploader_id", "created_by"]) + " int"]) }
        for name in Self.holders {
            let key = "user_id int not-null -> users.id cascade"
            let file = random.pick(Self.files)
            add(name, [key, "\(EnglishNoun.singular(file))_id int -> \(file).id"])
        }
        for (number, name) in Self.dependants.enumerated() {
            let others = Self.files + Self.dependants[..<number]
            let first = random.pick(others)
            let second = random.pick(others)
            add(name, first == second ? [column(to: first)] : [column(to: first), column(to: second)])
        }
        schema = Schema(dialect: .sqlite, tables: tables)
    }

    /// The tables whose rows the author's answers delete, and the plan after these answers: what one round of answers
    /// gives to the subject leads to more.
    func erased() throws -> (tables: Set<TableName>, plan: Plan) {
        var found: Set<TableName> = [TableName("users")]
        while true {
            let decided = try plan(found, order: seed)
            let more = Set(decided.tables.filter { $0.rule.erasesRows }.map(\.table))
            guard !more.isSubset(of: found) else { return (found, decided) }
            found.formUnion(more)
        }
    }

    /// The plan after answers in this order, each with what it leads to; some are given without a database.
    func plan(_ erased: Set<TableName>, order: UInt64) throws -> Plan {
        var random = PlanSeed(seed: order)
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        var text = PlanFile.text(for: plan)
        while true {
            let open = plan.questions.indices.filter { plan.questions[$0].isOpen }
            guard !open.isEmpty else {
                let settled = try AnswerConsequences(text, path: "p", schema)
                guard settled.plan.questions.contains(where: \.isOpen) else { return settled.plan }
                (text, plan) = (settled.text, settled.plan)
                continue
            }
            let number = random.pick(open)
            let answered = try AnswerEditor(text, path: "p").answering([number: answer(plan.questions[number], erased)])
            let next = try AnswerConsequences(answered, path: "p", random.below(3) == 0 ? nil : schema)
            (text, plan) = (next.text, next.plan)
        }
    }

    private func answer(_ question: PlanQuestion, _ erased: Set<TableName>) -> PlanQuestion.Answer {
        let offered = question.answers
        guard let link = question.link, erased.contains(link.target) else {
            return offered.contains(.unrelated) ? .unrelated : offered[0]
        }
        let isHolder = Self.holders.contains(question.table.name) && link.target.name != "users"
        if isHolder, offered.contains(.unrelated) { return .unrelated }
        // As a key alone would decide.
        if link.onDelete != nil { return offered.first { $0 != .unrelated } ?? .unrelated }
        let words = "\(question.table.name) \(question.columns) \(link.isOwnedParent)"
        var random = PlanSeed(seed: words.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        return random.pick(offered)
    }
}
