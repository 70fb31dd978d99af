// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Keys that are named after the abbreviation of a table's name.
struct TableAbbreviationTests {
    @Test(
        "PL-1 SCH-04 a beginning, or a first letter with consonants up to the last, is short for the one table with that name",
        arguments: [
            ("repo", "repository"), ("conv", "conversations"), ("doc", "documents"), ("msg", "messages"), ("app", "applications"),
            ("org", "organisations"), ("cat", "categories"), ("grp", "groups"), ("img", "images"), ("acct", "accounts"),
            ("cust", "customers"), ("emp", "employees"),
        ])
    func short(_ word: String, _ table: String) {
        var names = TableAbbreviations()
        for name in [table, "plans", "blog_" + table] { names.add(TableName(name), PersonNames.words(name)) }
        #expect(names.tables(of: word) == [TableName(table)])
    }

    @Test(
        "SCH-04 words that are no beginning, are too short or mean something else are no abbreviations",
        arguments: ["re", "rp", "pository", "repositor", "ref", "mgs", "rpz", ""])
    func others(_ word: String) {
        var names = TableAbbreviations()
        for name in ["repository", "messages", "referrals"] { names.add(TableName(name), [name]) }
        #expect(names.tables(of: word).isEmpty)
    }

    private static func plan(_ tables: SchemaTable...) throws -> Plan {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let schema = Schema(dialect: .sqlite, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static let repository = SchemaSketch.table(
        "repository", "id int pk", "owner_id int not-null -> users.id cascade", "name text")

    @Test("PL-1 SCH-04 a key under the abbreviation of a table with users' rows is a question, and what leads on from there too")
    func asked() throws {
        let plan = try Self.plan(
            Self.repository, SchemaSketch.table("deploy_key", "id int pk", "repo_id int not-null", "content text"),
            SchemaSketch.table("issue", "id int pk", "base_repo_id int not-null", "title text"),
            SchemaSketch.table("issue_label", "id int pk", "issue_id int not-null", "label text"))
        let asked = plan.questions.map { "\($0.table).\($0.columns[0]) \($0.link?.target.name ?? "")" }
        #expect(asked == ["deploy_key.repo_id repository", "issue.base_repo_id repository", "issue_label.issue_id issue"])
        let reason = plan.questions.first?.reason ?? ""
        #expect(reason.contains("repo may be short for "), "\(reason)")
        #expect(plan.tables.filter { !$0.links.isEmpty }.map(\.table.name) == ["repository"], "a guess is no link")
    }

    @Test("PL-1 SCH-04 an abbreviation of two tables, a text, a key at another service and a table of that very name are not asked about")
    func unclear() throws {
        let keys = SchemaSketch.table("keys", "id int pk", "repo_id int", "body text")
        let reports = SchemaSketch.table("report", "id int pk", "user_id int not-null -> users.id cascade")
        #expect(try !Self.plan(Self.repository, keys).questions.isEmpty)
        let reposts = SchemaSketch.table("reposition", "id int pk", "user_id int not-null -> users.id cascade")
        #expect(try Self.plan(Self.repository, reposts, keys).questions.isEmpty, "it may be either")
        let own = SchemaSketch.table("repos", "id int pk", "title text")
        #expect(try Self.plan(Self.repository, reports, own, keys).questions.isEmpty)
        let texts = SchemaSketch.table("keys", "id int pk", "repo_id text", "github_repo_id int")
        #expect(try Self.plan(Self.repository, texts).questions.isEmpty)
    }
}
