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

    private static func asked(_ tables: SchemaTable...) throws -> [String] {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let schema = Schema(dialect: .sqlite, tables: [users] + tables)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        return plan.questions.map { "\($0.table).\($0.columns[0]) \($0.link?.target.name ?? "")" }
    }

    private static let own = "user_id int not-null -> users.id cascade"

    @Test("PL-1 PL-7 a key is asked about that leaves out of a table's name what says little, or shares its last word only")
    func described() throws {
        let files = SchemaSketch.table("gpx_files", "id int pk", Self.own)
        let signups = SchemaSketch.table("challenge_signups", "id int pk", Self.own)
        let points = SchemaSketch.table("points", "gpx_id int not-null", "height int")
        let offers = SchemaSketch.table("assignments", "id int pk", "offer_signup_id int not-null")
        #expect(
            try Self.asked(files, signups, points, offers)
                == ["assignments.offer_signup_id challenge_signups", "points.gpx_id gpx_files"])
        let rival = SchemaSketch.table("event_signups", "id int pk", Self.own)
        #expect(try Self.asked(files, signups, rival, offers).isEmpty, "it may be either")
        let named = SchemaSketch.table("gpx", "id int pk", "title text")
        #expect(try Self.asked(files, named, points).isEmpty, "a table has the whole name")
        let states = SchemaSketch.table("user_statuses", "id int pk", Self.own)
        #expect(try Self.asked(states, SchemaSketch.table("orders", "id int pk", "order_status_id int")).isEmpty)
    }

    @Test("PL-1 PL-7 in a part of an app, a name means that part's table, and a table named after another's rows is about these")
    func parts() throws {
        let solutions = SchemaSketch.table("solutions", "id int pk", Self.own)
        let ofPart = SchemaSketch.table("bootcamp_solutions", "id int pk", Self.own)
        let submissions = SchemaSketch.table("bootcamp_submissions", "id int pk", "solution_id int not-null")
        #expect(try Self.asked(solutions, ofPart, submissions) == ["bootcamp_submissions.solution_id bootcamp_solutions"])
        #expect(try Self.asked(solutions, submissions) == ["bootcamp_submissions.solution_id solutions"])
        // A word that names a table itself begins the names of what belongs to its rows, and of no part.
        let bootcamps = SchemaSketch.table("bootcamps", "id int pk", "title text")
        #expect(try Self.asked(bootcamps, solutions, ofPart, submissions) == ["bootcamp_submissions.solution_id solutions"])
        let approaches = SchemaSketch.table("exercise_approaches", "id int pk", Self.own)
        let views = SchemaSketch.table("viewed_exercise_approaches", "id int pk", "approach_id int not-null", "title text")
        #expect(try Self.asked(approaches, views) == ["viewed_exercise_approaches.approach_id exercise_approaches"])
        let others = SchemaSketch.table("lesson_approaches", "id int pk", "approach_id int not-null", "title text")
        #expect(try Self.asked(approaches, others).isEmpty, "it may be either, or none")
    }

    @Test("PL-1 PL-7 a user after a deed's object, and short and rare nouns for people, are asked about; a count is not")
    func people() throws {
        let switches = SchemaSketch.table("switches", "id int pk", "disabled_invite_by_user_id int")
        let log = SchemaSketch.table("log", "id int pk", "mod_id int", "posts_by_user int")
        let heirs = SchemaSketch.table("heirs", "id int pk", "kin_id int")
        let remarks = SchemaSketch.table("remarks", "id int pk", "comment_by int", "sort_by int")
        let loans = SchemaSketch.table("loans", "id int pk", "checked_out_by int", "returned_to int", "opt_in_by int")
        #expect(
            try Self.asked(switches, log, heirs, remarks, loans)
                == [
                    "heirs.kin_id users", "loans.checked_out_by users", "loans.returned_to users", "log.mod_id users",
                    "remarks.comment_by users",
                    "switches.disabled_invite_by_user_id users",
                ])
    }
}
