// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

struct PlanQuestionTests {
    private static let text = """
        farewell: 1
        subject: {table: users, key: id}
        questions:
          - table: user_roles
            column: granter_id
            reason: "The key is nullable."
            link: {from: granter_id, to: users.id, key: no action}
            answers: [owner, reference]
          - table: todos
            column: target_id
            reason: "Named like a key."
            link: {from: target_id, to: users.id, where: {target_type: [User, Admin]}}
            answers: [owner, reference, not personal]
            answer:
        tables:
          todos:
            rule: not personal
            columns: [id, target_type, target_id]
          user_roles:
            rule: erase
            links:
              - {from: user_id, to: users.id, key: cascade, role: owner}
              - {from: granter_id, to: users.id, key: no action}
            columns: [id, user_id, granter_id]
          users:
            rule: erase
            columns: [id]
        """

    private static func plan(_ answers: [(String, String)] = []) throws -> Plan {
        var text = Self.text
        for (before, after) in answers { text = text.replacing(before, with: after) }
        return try PlanFile.read(Array(text.utf8), path: "farewell.yaml")
    }

    private static let granted = [
        ("    answers: [owner, reference]\n", "    answers: [owner, reference]\n    answer: reference\n")
    ]

    @Test("PL-1 an open question changes no table of the plan")
    func openQuestion() throws {
        let plan = try Self.plan()
        #expect(plan.questions.count == 2)
        #expect(plan.questions.map(\.isOpen) == [true, true])
        #expect(plan[TableName("todos")]?.rule == .notPersonal)
        #expect(plan[TableName("todos")]?.links.isEmpty == true)
        #expect(plan.answered() == plan)
    }

    @Test("PL-1 PL-3 set in the link of a question needs no role: its answer gives the role", arguments: [true, false])
    func replacements(_ isReference: Bool) throws {
        let answer = isReference ? "reference" : "owner"
        let plan = try Self.plan([
            ("    answers: [owner, reference]\n", "    answers: [owner, reference]\n    answer: \(answer)\n"),
            ("key: no action}\n    answers", "key: no action, set: 9}\n    answers"),
        ])
        let link = plan.answered()[TableName("user_roles")]?.links.first { $0.columns == ["granter_id"] }
        #expect(link?.replacement == (isReference ? "9" : nil) && link?.isReference == isReference, "\(String(describing: link))")
    }

    @Test("PL-1 PL-3 an answer is applied when the file is read, and the written file reads the same")
    func answers() throws {
        let plan = try Self.plan(Self.granted + [("    answer:\n", "    answer: owner\n")])
        #expect(plan.questions.map(\.answer) == [.reference, .owner])
        let todos = try #require(plan[TableName("todos")])
        #expect(todos.rule == .erase)
        #expect(todos.links.map(\.role) == [.owner])
        let condition = LinkCondition([.init(column: "target_type", values: ["User", "Admin"])])
        #expect(todos.links[0].condition == condition)
        let roles = try #require(plan[TableName("user_roles")])
        #expect(roles.links.map(\.role) == [.owner, .reference])
        #expect(try PlanFile.read(Array(PlanFile.text(for: plan).utf8), path: "p") == plan)
    }

    @Test("PL-1 PL-3 rows with only a reference stay, and no other column changes")
    func referenceOnly() throws {
        let plan = try Self.plan([("    answer:\n", "    answer: reference\n")])
        let todos = try #require(plan[TableName("todos")])
        #expect(todos.rule == .anonymise)
        #expect(todos.columns.map(\.rule) == [.notPersonal, .notPersonal, .notPersonal])
    }

    @Test("PL-1 the answer “not personal” is written in the columns of the table")
    func notPersonal() throws {
        let plan = try Self.plan([("    answer:\n", "    answer: not personal\n")])
        let todos = try #require(plan[TableName("todos")])
        #expect(todos.rule == .notPersonal)
        #expect(todos.columns.map(\.rule) == [nil, nil, .notPersonal])
    }

    @Test(
        "PL-1 an answer that the question does not offer is refused",
        arguments: [
            ("    answer:\n", "    answer: yes\n"), ("    answers: [owner, reference]", "    answers: [owner, refer]"),
            ("{from: granter_id, to: users.id, key: no action}", "{from: granter_id, to: users.id, role: none}"),
            ("where: {target_type: [User, Admin]}", "where: {}"), ("where: {target_type: [User, Admin]}", "role: owner, set: x"),
            ("where: {target_type: [User, Admin]}", "list: array, set: x, role: reference"),
            ("where: {target_type: [User, Admin]}", "parent: owned, role: reference"),
            ("where: {target_type: [User, Admin]}", "shared: erase, role: reference"),
        ])
    func refused(_ change: (String, String)) throws {
        #expect(throws: FarewellError.self) { try Self.plan([change]) }
    }
}
