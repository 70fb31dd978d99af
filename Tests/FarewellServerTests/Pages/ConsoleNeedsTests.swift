// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import TestFixtures
import Testing

@Suite("The console's overview and its pages")
struct ConsoleNeedsTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func words(_ overview: ErasureOverview, today: ErasureDay? = nil) -> [String] {
        let values = ConsoleNeeds.values(overview, parked: [], today: today, isUnfit: false, now: now)
        return (values["needs"] as? [[String: Any]] ?? []).map { "\($0["what"] ?? ""): \($0["text"] ?? "")" }
    }

    @Test("BX-9 the console names failing systems and undelivered events, and nothing when all is well")
    func systems() {
        var overview = ErasureOverview()
        overview.outbox = [.init(name: "crm", delivered: 3), .init(name: "mail", dead: 1)]
        let today = ErasureDay(day: "2027-01-15", failures: ["stripe": 2, "files": 0])
        let found = Self.words(overview, today: today)
        #expect(found.count == 2 && found[0].hasPrefix("Failing: stripe: 2 failed attempts today"), "\(found)")
        #expect(found.last?.hasPrefix("Undelivered: mail: 1 event could not be delivered") == true, "\(found)")
        #expect(Self.words(ErasureOverview(), today: ErasureDay(day: "2027-01-15")).isEmpty)
        #expect(ConsoleNeeds.speed(ErasureOverview(), ErasureThroughput()).map { $0["value"] } == ["0", "–", "–", "0"])
        let throughput = ErasureThroughput(done: 300, half: 0.25, slowest: 600)
        #expect(ConsoleNeeds.speed(ErasureOverview(), throughput).map { $0["value"] } == ["300", "250 ms", "10 min", "0"])
    }

    @Test("BX-9 a list of the console counts the entries it leaves out, and a link leads to all of them")
    func leftOut() throws {
        var overview = ErasureOverview()
        overview.counts = [.needsAttention: 23, .done: 500]
        let values = ConsoleNeeds.values(overview, parked: [], overdue: 31, today: nil, isUnfit: false, now: Self.now)
        let needs = try #require(values["needs"] as? [[String: Any]])
        #expect(
            needs.map { "\($0["what"] ?? "") \($0["text"] ?? "") \($0["showAll"] ?? "")" } == [
                "Parked 23 in all. /console?state=needs%20attention", "Overdue 31 in all. /console/activity",
            ])
        #expect(ConsoleList.rest(shown: 200, of: ConsoleList.total(overview, nil))?.hasPrefix("The newest 200 of 523.") == true)
        #expect(ConsoleList.rest(shown: 23, of: ConsoleList.total(overview, .needsAttention)) == nil)
        #expect(ConsoleList.rest(shown: 200, of: nil) != nil && ConsoleList.rest(shown: 199, of: nil) == nil)
    }

    @Test("BX-9 the console shows 20 of 21 parked erasures, says so, and its link shows all of them")
    func manyParked() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            _ = try await mount.database.withConnection { connection in
                for number in 0..<21 {
                    let values: [SQLValue] = [
                        .uuid(UUID()), .timestamp(Date()), .text(String(repeating: "a", count: 32) + String(number)),
                    ]
                    _ = try await connection.run(
                        SQLStatement(
                            "INSERT INTO farewell_erasures (id, state, cause, requested_at, subject_hash, plan_fingerprint, "
                                + "schema_fingerprint) VALUES ($1, 'needs attention', 'It waits.', $2, $3, 'p', 's')", values))
                }
            }
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/console")
            #expect(try await browser.send("/console/sign-in", ["token": ErasureMount.operatorToken]).status == 303)
            let page = try await browser.open("/console").text
            #expect(page.contains("20 of 21 are named here.") && page.contains("href=\"/console?state=needs%20attention\""), "\(page)")
            #expect(page.components(separatedBy: "Try again: ").count == 42, "a button for each that is named or listed")
            let all = try await browser.open(ConsolePages.parked).text
            #expect(all.components(separatedBy: "<th scope=\"row\"").count == 22 && !all.contains("id=\"rest\""), "\(all)")
        }
    }

    @Test("BX-9 the console's overview reads the steps of all parked erasures at once")
    func countedStatements() async throws {
        let roundTrips = Guarded(0)
        try await ErasureMount.with(
            isWorking: .off, pages: PageSettings(),
            watching: { database in
                WatchedDatabase(database) { statements, _ in
                    roundTrips.withLock { $0 += 1 }
                    return statements
                }
            }
        ) { mount in
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/console")
            #expect(try await browser.send("/console/sign-in", ["token": ErasureMount.operatorToken]).status == 303)
            var counted: [Int] = []
            for number in 1...5 {
                try await mount.database.withConnection { connection in
                    let id = SQLValue.text(UUID().uuidString.lowercased())
                    _ = try await connection.run(
                        SQLStatement(
                            "INSERT INTO farewell_erasures (id, state, cause, requested_at, subject_hash, plan_fingerprint, "
                                + "schema_fingerprint) VALUES ($1, 'needs attention', 'It waits.', $2, $3, 'p', 's')",
                            [id, .timestamp(Date()), .text(String(repeating: "a", count: 32) + String(number))]))
                    _ = try await connection.run(
                        SQLStatement(
                            "INSERT INTO farewell_steps (erasure, name, state, started_at) VALUES ($1, $2, 'running', $3)",
                            [id, .text("step \(number)"), .timestamp(Self.now)]))
                }
                let before = roundTrips.withLock { $0 }
                let page = try await browser.open("/console").text
                counted.append(roundTrips.withLock { $0 } - before)
                for shown in 1...number {
                    let times = page.components(separatedBy: "At the step step \(shown): It waits.").count - 1
                    #expect(times >= 2, "\(shown) of \(number): \(page)")
                }
            }
            #expect(counted[0] > 0 && Set(counted).count == 1, "\(counted)")
        }
    }

    @Test(
        "a duration is shown in the one unit that fits it",
        arguments: [
            (0.0, "0 ms"), (0.3461, "346 ms"), (1.4, "1 s"), (119, "119 s"), (600, "10 min"), (7_200, "2 h"),
            (30 * 86_400, "30 days"), (-1, "0 ms"),
        ] as [(TimeInterval, String)])
    func durations(seconds: TimeInterval, text: String) { #expect(ConsoleNeeds.readable(seconds) == text) }

    @Test("BX-9 the console begins with what needs an operator: parked erasures with cause and button, overdue ones, idle workers")
    func overview() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/console")
            #expect(try await browser.send("/console/sign-in", ["token": ErasureMount.operatorToken]).status == 303)
            let quiet = try await browser.open("/console")
            #expect(quiet.text.contains("Nothing needs an operator.") && quiet.text.contains("No erasure was requested yet."))
            #expect(try await browser.open("/console?find=zzz").text.contains("No erasure matches."))

            let anna = try await mount.person()
            let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
            let id = try #require(asked.json["id"] as? String, "\(asked)")
            #expect(try await browser.open("/console").text.contains("Nothing needs an operator."))
            mount.ahead.withLock { $0 = 31 * 86_400 }
            let late = try await browser.open("/console").text
            #expect(late.contains("Overdue") && late.contains("No worker") && !late.contains("Parked"), "\(late)")

            let park = "UPDATE farewell_erasures SET state = 'needs attention', cause = 'The table <b> is locked.'"
            _ = try await mount.database.withConnection { try await $0.run(SQLStatement(park)) }
            let parked = try await browser.open("/console").text
            let needs = try #require(parked.range(of: "id=\"needs\""), "\(parked)")
            let filter = try #require(parked.range(of: "id=\"filter\""))
            #expect(needs.lowerBound < filter.lowerBound && parked.contains("The table &lt;b&gt; is locked."), "\(parked)")
            #expect(parked.contains("action=\"/console/release\"") && parked.contains("name=\"id\" value=\"\(id)\""))
            #expect(!parked.contains("Overdue") && !parked.contains("No worker"))
            browser.cookies["__Host-farewell-console"] = try await mount.consoleCookie("aa", role: .looks)
            let read = try await browser.open("/console").text
            #expect(read.contains("The table &lt;b&gt; is locked.") && !read.contains("action=\"/console/release\""))
        }
    }

    @Test("BX-9 a parked erasure shows its parked step, its cause and its button at the top, in the list and on its own page")
    func parkedStep() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let asked = try await mount.asked(by: try await mount.person())
            try await mount.database.withConnection { connection in
                _ = try await connection.run(
                    "UPDATE farewell_erasures SET state = 'needs attention', cause = 'The table is locked.', owner = NULL")
                _ = try await connection.run(
                    SQLStatement(
                        "INSERT INTO farewell_steps (erasure, name, state, started_at, finished_at) VALUES "
                            + "($1, 'rows', 'running', $2, NULL), ($1, 'files: a', 'done', $2, $2)",
                        [.text(asked.id), .timestamp(Self.now)]))
            }
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/console")
            #expect(try await browser.send("/console/sign-in", ["token": ErasureMount.operatorToken]).status == 303)
            let cause = "At the step rows: The table is locked."
            let list = try await browser.open("/console").text
            let filter = try #require(list.range(of: "id=\"filter\""))
            for part in [list[..<filter.lowerBound], list[filter.upperBound...]] {
                #expect(part.contains(cause) && part.contains("action=\"/console/release\""), "\(part)")
            }
            let run = try await browser.open("/console/runs/\(asked.id)").text
            let states = run.matches(of: #/<th scope="row">([^<]+)<\/th><td class="word">([a-z]+)<\/td>/#).map { "\($0.1) \($0.2)" }
            #expect(states.sorted() == ["files: a done", "rows parked"], "\(run)")
            let shown = try #require(run.range(of: cause))
            let button = try #require(run.range(of: "id=\"release\""))
            let steps = try #require(run.range(of: "id=\"timeline\""))
            #expect(shown.upperBound < button.lowerBound && button.upperBound < steps.lowerBound, "the button is below the cause")
        }
    }

    @Test("BX-9 each section of the console is a page that the navigation names, and opens for operators only")
    func sections() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            var browser = MountedBrowser(mount: mount)
            for section in ConsolePages.sections { #expect(try await browser.open(section.path).text.contains("consoleSignIn")) }
            #expect(try await browser.send("/console/sign-in", ["token": ErasureMount.operatorToken]).status == 303)
            for section in ConsolePages.sections {
                let page = try await browser.open(section.path)
                #expect(page.status == 200 && page.text.contains("id=\"who\""), "\(page)")
                let here = page.text.matches(of: #/<a href="([^"]+)"\s+aria-current="page">/#).map { String($0.1) }
                #expect(here == [section.path])
                for other in ConsolePages.sections { #expect(page.text.contains("href=\"\(other.path)\""), "\(section.name)") }
            }
        }
    }
}
