// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Reads the `questions` of a plan file.
struct QuestionReader {
    var nodes: PlanNodes

    mutating func questions(_ node: Node) -> [PlanQuestion] {
        (nodes.list(node, "`questions`") ?? []).compactMap { question($0) }
    }

    private mutating func question(_ node: Node) -> PlanQuestion? {
        let record = nodes.record(
            node, "A question", required: ["table", "column", "reason", "answers"],
            optional: ["link", "links", "through", "set", "answer", "implied"])
        guard let record, let tableNode = record["table"], let text = nodes.text(tableNode, "A table's name"),
            let columns = record["column"].flatMap({ nodes.names($0, "`column`") }),
            let reason = record["reason"].flatMap({ nodes.text($0, "`reason`") })
        else { return nil }
        guard let table = TableName(parsing: text) else {
            nodes.report(tableNode, "\(Shown.name(text)) is not a table's name; \(PlanReader.quoting).")
            return nil
        }
        let words = record["answers"].flatMap { nodes.list($0, "`answers`") } ?? []
        var answers: [PlanQuestion.Answer] = []
        for word in words {
            if let answer: PlanQuestion.Answer = nodes.word(word, "An answer") { answers.append(answer) }
        }
        if record["link"] != nil, let node = record["links"] {
            nodes.report(node, "A question has `link` or `links`, not both.")
        }
        let several = record["links"].flatMap { nodes.list($0, "`links`") } ?? []
        let links = (record["link"].map { [$0] } ?? several).compactMap { readLink($0, of: table) }
        let question = PlanQuestion(
            table: table, columns: columns, reason: reason, link: links.first, answers: answers,
            others: Array(links.dropFirst()), through: record["through"].flatMap { readLink($0, of: table) },
            replacement: record["set"].flatMap { nodes.text($0, "`set`") })
        guard let implied = record["implied"] else { return answered(question, by: record["answer"]) }
        if record["answer"] != nil { nodes.report(implied, "A question has `answer` or `implied`, not both.") }
        var settled = answered(question, by: implied)
        let isAnswered = settled?.answer != nil
        settled?.isImplied = isAnswered
        return settled
    }

    private mutating func readLink(_ node: Node, of table: TableName) -> Link? {
        var reader = TablePlanReader(nodes: nodes, table: table, isAnswered: true)
        let link = reader.link(node)
        nodes = reader.nodes
        return link
    }

    private mutating func answered(_ question: PlanQuestion, by node: Node?) -> PlanQuestion? {
        // `answer:` or `implied:` without a value is a question that is still open.
        guard let node, node.scalar.map({ !$0.string.isEmpty || $0.style != .plain }) ?? true else { return question }
        guard let word = nodes.word(node, "The answer", of: question.answers.map(\.rawValue)),
            let answer = PlanQuestion.Answer(rawValue: word)
        else { return nil }
        guard question.declares(answer) else {
            let missing = answer == .anonymise ? "through" : "link"
            nodes.report(node, "The answer is \(word), but the question has no `\(missing)`.")
            return nil
        }
        var question = question
        question.answer = answer
        return question
    }
}
