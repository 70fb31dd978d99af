// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Values that name users, or their machines, in tables without a link to users: IP addresses, URIs.
struct UnlinkedValueTests {
    private static func plan(_ tables: SchemaTable...) throws -> (Plan, Schema) {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return (try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan, schema)
    }

    @Test("PL-1 PL-6 the IP addresses of rows that nothing links to a user are a question, and the check reports an old plan")
    func asked() throws {
        let (plan, schema) = try Self.plan(
            SchemaSketch.table("session", "id text pk", "ip text", "seen timestamptz"),
            SchemaSketch.table("events", "id int pk", "client_ip inet", "kind text"),
            SchemaSketch.table("hits", "id int pk", "origin inet", "remote_addr text"),
            SchemaSketch.table("logins", "id int pk", "user_id int not-null -> users.id cascade", "ip text"),
            SchemaSketch.table("resets", "id int pk", "email text", "ip text"),
            SchemaSketch.table("servers", "id int pk", "ip inet"),
            SchemaSketch.table("probes", "id int pk", "host_ip inet", "zip text", "ip_count int", "vip text"))
        let asked = plan.questions.filter { $0.link == nil }
        #expect(asked.map(\.table.name).sorted() == ["events", "hits", "session"], "\(asked)")
        #expect(asked.first { $0.table.name == "hits" }?.columns == ["origin", "remote_addr"])
        #expect(asked.allSatisfy { $0.answers == [.unrelated] })
        var silent = plan
        silent.questions.removeAll { $0.link == nil }
        let found = PlanCheck.findings(silent, schema).filter { $0.code == "table.contacts" }
        #expect(found.compactMap(\.table?.name).sorted() == ["events", "hits", "session"], "\(found)")
        let answered = PlanCheck.findings(plan.answeringAll(.unrelated), schema).filter { $0.code == "table.contacts" }
        #expect(answered.isEmpty, "\(answered)")
    }

    @Test("PL-1 PL-6 after an answer that no column names a user, the IP addresses of the rows are a question")
    func cutOff() throws {
        var (plan, schema) = try Self.plan(
            SchemaSketch.table("visits", "id int pk", "user_id int", "ip_address inet", "page text"))
        #expect(plan.questions.map(\.columns) == [["user_id"]])
        plan.questions[0].answer = .unrelated
        let following = FollowingQuestions.of(plan.answered(), schema)
        #expect(following.map(\.columns) == [["ip_address"]], "\(following)")
        #expect(FollowingQuestions.expected(plan.answered()).map(\.name) == ["visits"])
    }

    @Test("PL-1 PL-6 URIs that name users in rows without a link are a question: no link compares a part of a value")
    func paths() throws {
        let (plan, schema) = try Self.plan(
            SchemaSketch.table("calendars", "id int pk", "principaluri text not-null", "title text"),
            SchemaSketch.table("shares", "id int pk", "owner_uri text", "client_ip text"),
            SchemaSketch.table("clients", "id int pk", "redirect_uri text", "client_uri text", "user_uri text"),
            SchemaSketch.table("books", "id int pk", "user_id int not-null -> users.id cascade", "principal_uri text"))
        let asked = plan.questions.map { "\($0.table.name).\($0.columns.joined(separator: "+")) \($0.answers.map(\.rawValue))" }
        #expect(asked == ["calendars.principaluri [\"not personal\"]", "shares.owner_uri [\"not personal\"]"], "\(asked)")
        var silent = plan
        silent.questions = []
        let found = PlanCheck.findings(silent, schema).filter { $0.code == "table.contacts" }
        #expect(found.map { "\($0.table?.name ?? "").\($0.column ?? "")" } == ["calendars.principaluri", "shares.owner_uri"], "\(found)")
    }
}
