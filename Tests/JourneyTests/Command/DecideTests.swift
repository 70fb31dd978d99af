// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import Testing

@Suite("A command answers the open questions of a plan")
struct DecideTests {
    private func questions(_ place: CommandPlace) throws -> [PlanQuestion] {
        try PlanFile.load(path: place.plan.path).questions
    }

    @Test("PL-1 PL-8 at a terminal the questions follow one after another, and each answer is saved at once")
    func walk() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            _ = try await place.farewell("init", "--subject", "auth_users.id")
            try place.changePlan { $0.replacing("subject:\n", with: "# mine\nsubject:   # as agreed\n") }
            let before = try String(contentsOf: place.plan, encoding: .utf8)
            let stopped = try await place.onTerminal(["decide"], typing: "what\no\nq\n", environment: ["TERM": "xterm"])
            #expect(stopped.status == 1 && stopped.output.contains("Question 1 of 2"), "\(stopped)")
            #expect(stopped.output.contains("none of the letters and words"), "\(stopped)")
            let legend = stopped.output.range(of: "owner         the rows belong to the subject and are deleted")
            let first = stopped.output.range(of: "Question 1 of 2")
            #expect(try #require(legend).upperBound < (try #require(first)).lowerBound, "\(stopped)")
            #expect(try questions(place).map(\.answer) == [.owner, nil])
            let ended = try await place.onTerminal(["decide"], typing: "owner\n", environment: ["TERM": "xterm"])
            #expect(ended.status == 0 && ended.output.contains("No question is open"), "\(ended)")
            let after = try String(contentsOf: place.plan, encoding: .utf8)
            #expect(after.replacing("    answer: owner\n", with: "") == before)
            #expect(try await place.farewell("check", "--accept").status == 0)
        }
    }

    @Test("PL-8 without a terminal the open questions are printed, and patterns answer many at once")
    func bulk() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            _ = try await place.farewell("init", "--subject", "auth_users.id")
            let printed = try await place.farewell("decide")
            #expect(printed.status == 1 && printed.output.contains("usage_logs.message_id"), "\(printed)")
            // Each clause of a reason begins a line.
            let clauses = try questions(place).map { $0.reason.split(separator: "; ").count }.filter { $0 > 1 }.reduce(0, +)
            let marked = printed.output.split(separator: "\n").count(where: { $0.hasPrefix("  · ") })
            #expect(clauses > 0 && marked == clauses, "\(printed)")
            let before = try Data(contentsOf: place.plan)
            let listed = try await place.farewell("decide", "--list", "--column", "message_*")
            #expect(listed.status == 0 && !listed.output.contains("conversation_id"), "\(listed)")
            let missed = try await place.farewell("decide", "--table", "nothing_*", "--answer", "owner")
            #expect(missed.status == 1, "\(missed)")
            let unfit = try await place.farewell("decide", "--not-personal", "*")
            #expect(unfit.status == 1 && unfit.output.contains("does not offer"), "\(unfit)")
            let misspelt = try await place.farewell("decide", "--answer", "mine")
            #expect(misspelt.status == 2 && misspelt.errors.contains("--answer owner"), "\(misspelt)")
            #expect(try Data(contentsOf: place.plan) == before)
            let old = mode(place.plan)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.plan.path)
            let answered = try await place.farewell("decide", "--table", "usage_*", "--answer", "owner", "--json")
            #expect(answered.status == 0 && answered.objects.first?["open"] as? Int == 1, "\(answered)")
            #expect(mode(place.plan) == 0o640, "\(old)")
            #expect(try questions(place).map(\.answer) == [nil, .owner])
            let all = try await place.farewell("decide", "farewell.yaml", "--table", "*", "--answer", "owner", "--again")
            #expect(all.status == 0, "\(all)")
            #expect(try questions(place).map(\.answer) == [.owner, .owner])
        }
    }

    private func mode(_ file: URL) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: file.path))?[.posixPermissions] as? Int) ?? -1
    }

    @Test("PL-8 init --merge adds new tables with their questions and leaves the rest of the plan unchanged")
    func merge() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let before = try String(contentsOf: place.plan, encoding: .utf8)
            _ = try await place.query("CREATE TABLE notes (id integer PRIMARY KEY, \"ownerId\" text, words text)")
            let merged = try await place.farewell("init", "--merge", "--json")
            #expect(merged.status == 0 && merged.objects.first?["added"] as? [String] == ["notes"], "\(merged)")
            let after = try String(contentsOf: place.plan, encoding: .utf8)
            let lines = before.split(separator: "\n")
            #expect(after.split(separator: "\n").filter { lines.contains($0) } == lines)
            #expect(try questions(place).filter(\.isOpen).map(\.columns) == [["ownerId"]])
            let again = try await place.farewell("init", "--merge")
            #expect(again.status == 0 && again.output.contains("every table"), "\(again)")
            #expect(try String(contentsOf: place.plan, encoding: .utf8) == after)
            _ = try await place.farewell("decide", "--table", "notes", "--answer", "owner")
            let checked = try await place.farewell("check", "--json")
            let codes = (checked.objects.first?["findings"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
            #expect(codes == ["schema.changed", "index.missing"], "\(checked)")
        }
    }

    @Test("PL-8 many findings are grouped by their cause, open questions by their columns, and --json names all of them")
    func grouped() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            for number in 1...70 {
                _ = try await place.query("CREATE TABLE new_\(number) (id integer PRIMARY KEY, owner_id text)")
            }
            let checked = try await place.farewell("check")
            #expect(checked.status == 1 && checked.output.contains("table.unaccounted: 70 errors"), "\(checked)")
            #expect(checked.output.contains("and 60 more"))
            let complete = try await place.farewell("check", "--json")
            #expect((complete.objects.first?["findings"] as? [Any])?.count ?? 0 >= 71)
            _ = try await place.farewell("init", "--merge")
            let asked = try await place.farewell("check")
            #expect(asked.output.contains("70 questions about owner_id: "), "\(asked)")
            #expect(asked.output.contains("--column owner_id --answer …"), "\(asked)")
        }
    }
}
