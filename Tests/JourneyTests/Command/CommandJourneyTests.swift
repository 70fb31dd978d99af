// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import SystemPackage
import Testing

@Suite("An erasure, command by command")
struct CommandJourneyTests {
    @Test("a user is planned, previewed, erased, verified and proved", arguments: SQLDialect.allCases)
    func wholeJourney(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let before = try await place.rows()
            let preview = try await place.farewell("preview", "--subject", place.person, "--json")
            #expect(preview.status == 0)
            #expect(try await place.rows() == before)
            let rows = before.filter { $0.contains(place.person) }.count
            #expect((preview.objects.first?["erased"] as? Int ?? 0) >= rows)

            let erased = try await place.farewell("erase", "--subject", place.person, "--yes", "--deep", "--json")
            #expect(erased.status == 0, "\(erased)")
            let events = erased.objects.compactMap { $0["event"] as? String }
            #expect(events.first == "accepted" && events.last == "done", "\(events)")
            let outcome = try #require((erased.objects.last?["outcomes"] as? [[String: Any]])?.first)
            #expect(outcome["outcome"] as? String == "done")
            #expect(outcome["position"] as? Int == 1)
            #expect(outcome["erased"] as? Int == preview.objects.first?["erased"] as? Int)

            let after = try await place.rows()
            #expect(before.count - after.count == outcome["erased"] as? Int)
            let areSame = Set(after).isSubset(of: Set(before))
            #expect(areSame, "a neighbour's row was changed")
            let isGone = !after.contains { $0.contains(place.person) }
            #expect(isGone)

            try await prove(place, erasure: try #require(outcome["erasure"] as? String))
        }
    }

    private func prove(_ place: CommandPlace, erasure: String) async throws {
        let again = try await place.farewell("erase", "--subject", place.person, "--yes")
        #expect(again.status == 0 && again.output.contains(erasure), "\(again)")
        #expect(try await place.farewell("verify", "--subject", place.person, "--deep").status == 0)
        let neighbour = try await place.farewell("verify", "--subject", place.neighbour, "--json")
        #expect(neighbour.status == 1 && neighbour.objects.first?["isClean"] as? Bool == false, "\(neighbour)")
        for arguments in [["receipt", "verify"], ["receipt", "verify", erasure], ["receipt", "show", erasure]] {
            let end = try await place.farewell(arguments[0], arguments[1], arguments.last ?? "")
            #expect(arguments.count == 2 || end.status == 0, "\(end)")
        }
        let page = try await place.farewell("receipt", "page", erasure)
        #expect(page.status == 0 && page.output.hasPrefix("<!doctype html>"))
        let status = try await place.farewell("status", erasure)
        #expect(status.status == 0 && status.output.contains("done"), "\(status)")
        let ofSubject = try await place.farewell("status", "--subject", place.person.uppercased())
        #expect(ofSubject.output.contains(erasure), "\(ofSubject)")
        let doctor = try await place.farewell("doctor")
        #expect(doctor.status == 0, "\(doctor)")
    }

    @Test("--deep-rows limits the deep scan, and words, JSON and receipt say that it was limited", arguments: SQLDialect.allCases)
    func boundedScan(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let verify = ["verify", "--subject", place.person, "--deep"]
            let bounds: [[String]] = [[], ["--deep-rows", "3"], ["--deep-rows", "2"]]
            var scans: [(extent: String, rows: Int)] = []
            for bound in bounds {
                let end = try await place.call(verify + bound + ["--json"])
                let scan = try #require(end.objects.first?["deepScan"] as? [String: Any], "\(end)")
                scans.append((try #require(scan["extent"] as? String), try #require(scan["rows"] as? Int)))
                let words = try await place.call(verify + bound).output
                #expect(words.contains("Not every row was searched") == !bound.isEmpty, "\(words)")
                if let most = bound.last { #expect(words.contains("at most \(most) of each table"), "\(words)") }
            }
            #expect(scans.map(\.extent) == ["complete", "bounded", "bounded"])
            #expect(scans[0].rows > scans[1].rows && scans[1].rows > scans[2].rows, "\(scans)")
            let erased = try await place.call(["erase", "--subject", place.person, "--yes", "--deep", "--deep-rows", "2"])
            #expect(erased.status == 0 && erased.output.contains("(up to a limit, "), "\(erased)")
        }
    }

    /// Parked as if for rows that name others which are gone: such are found by no look by the person's key.
    private func park(_ erasure: String, in place: CommandPlace) async throws {
        let erasures = place.dialect == .postgresql ? "farewell.erasures" : "farewell_erasures"
        _ = try await place.query(
            "UPDATE \(erasures) SET state = 'needs attention', cause = 'messages (1)', finished_at = NULL "
                + "WHERE id = '\(erasure)'")
    }

    @Test("no answer says that a subject with a parked erasure is gone", arguments: SQLDialect.allCases)
    func parkedIsNotGone(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let erased = try await place.farewell("erase", "--subject", place.person, "--yes", "--json")
            let outcome = try #require((erased.objects.last?["outcomes"] as? [[String: Any]])?.first)
            let erasure = try #require(outcome["erasure"] as? String)
            #expect(try await place.farewell("verify", "--subject", place.person).status == 0)
            try await park(erasure, in: place)
            let words = try await place.farewell("verify", "--subject", place.person)
            #expect(words.status == 1 && words.output.contains(erasure) && words.output.contains("parked"), "\(words)")
            let found = try await place.farewell("verify", "--subject", place.person, "--json")
            let object = try #require(found.objects.first)
            #expect(found.status == 1 && object["isClean"] as? Bool == false, "\(found)")
            #expect(object["erasure"] as? String == erasure && object["state"] as? String == "needs attention")
            let resumed = try await place.farewell("erase", "--resume")
            #expect(resumed.status == 1 && resumed.output.contains("1 erasure parked"), "\(resumed)")
            let summary = try await place.farewell("erase", "--resume", "--json")
            #expect(summary.status == 1 && summary.objects.last?["status"] as? Int == 1, "\(summary)")
        }
    }

    @Test("BX-9 status shows a parked erasure's parked step, its cause and the command that continues it", arguments: SQLDialect.allCases)
    func parkedStep(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let erased = try await place.farewell("erase", "--subject", place.person, "--yes", "--json")
            let outcome = try #require((erased.objects.last?["outcomes"] as? [[String: Any]])?.first)
            let erasure = try #require(outcome["erasure"] as? String)
            try await park(erasure, in: place)
            let steps = dialect == .postgresql ? "farewell.steps" : "farewell_steps"
            _ = try await place.query("UPDATE \(steps) SET state = 'running', finished_at = NULL WHERE name = 'rows'")
            let list = try await place.farewell("status")
            #expect(list.status == 1 && list.output.contains("At the step rows: messages (1)"), "\(list)")
            let one = try await place.farewell("status", erasure)
            for words in ["At the step rows", "messages (1)", "rows: parked", "farewell erase --release \(erasure)"] {
                #expect(one.output.contains(words), "\(one)")
            }
            let object = try #require(try await place.farewell("status", erasure, "--json").output.data(using: .utf8))
            let first = try #require((try JSONSerialization.jsonObject(with: object) as? [[String: Any]])?.first)
            #expect((first["steps"] as? [[String: Any]])?.contains { $0["state"] as? String == "parked" } == true, "\(first)")
        }
    }

    @Test("a preview creates no control store, no keys and no folder", arguments: SQLDialect.allCases)
    func previewWritesNothing(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let before = dialect == .sqlite ? try Data(contentsOf: place.sqlite) : nil
            for arguments in [["preview", "--subject", place.person], ["verify", "--subject", place.person]] {
                let end = try await place.farewell(arguments[0], arguments[1], arguments[2])
                #expect(end.status == (arguments[0] == "preview" ? 0 : 1), "\(end)")
            }
            #expect(!FileManager.default.fileExists(atPath: place.state.path))
            if dialect == .sqlite {
                #expect(try Data(contentsOf: place.sqlite) == before)
            } else {
                #expect(try await place.query("SELECT 1 FROM pg_namespace WHERE nspname = 'farewell'").isEmpty)
            }
        }
    }

    private static let shop = """
        farewell: 1
        subject: {table: people, key: id}
        tables:
          people:
            rule: erase
            columns: [id]
          invoices:
            rule: retain
            reason: tax law
            for: 10 years
            from: issued
            then: erase
            links:
              - {from: customer, to: people.id}
            columns: {id: retain, customer: retain, issued: retain}

        """

    @Test("a preview in JSON says whether the last day of a retention is past")
    func retentionIsOver() async throws {
        try await CommandPlace.with(.sqlite, people: 3, isPlanned: false) { place in
            try Data(Self.shop.utf8).write(to: place.plan)
            let address = "sqlite:" + place.folder.appendingPathComponent("shop.sqlite").path
            let database = try openDatabase(address, sqlite: SQLiteConfiguration(access: .createIfMissing))
            try await database.withConnection { connection in
                for statement in [
                    "CREATE TABLE people (id integer PRIMARY KEY)",
                    "CREATE TABLE invoices (id integer PRIMARY KEY, customer integer, issued timestamp)",
                    "INSERT INTO people VALUES (1), (2)",
                    "INSERT INTO invoices VALUES (10, 1, '2014-05-01 10:00:00'), (20, 2, CURRENT_TIMESTAMP)",
                ] {
                    _ = try await connection.run(SQLStatement(statement))
                }
            }
            await database.close()
            for (person, isOver) in [("1", true), ("2", false)] {
                let environment = ["FAREWELL_DATABASE_URL": address]
                let end = try await place.farewell("preview", "--subject", person, "--json", environment: environment)
                let places = end.objects.first?["places"] as? [[String: Any]]
                let invoices = places?.first { $0["place"] as? String == "invoices" }
                #expect(end.status == 0 && invoices?["isOver"] as? Bool == isOver, "\(end)")
            }
        }
    }

    @Test("the plan leaves a decision open, and check reports it until it is made")
    func openDecision() async throws {
        try await CommandPlace.with(.sqlite, isPlanned: false) { place in
            let made = try await place.farewell("init", "--subject", "auth_users.id")
            #expect(made.status == 0 && made.output.contains("messages.conversation_id"), "\(made)")
            let open = try await place.farewell("check", "--json")
            #expect(open.status == 1)
            #expect(open.objects.first?["errors"] as? Int == 2)
            let refused = try await place.farewell("preview", "--subject", place.person)
            #expect(refused.status == 2 && refused.errors.contains("farewell check"), "\(refused)")
            let twice = try await place.farewell("init", "--subject", "auth_users.id")
            #expect(twice.status == 2 && twice.errors.contains("--force"), "\(twice)")
            #expect(try await place.farewell("init", "--force").status == 0)
        }
    }

    @Test("a changed schema is accepted only when nothing else is wrong", arguments: SQLDialect.allCases)
    func acceptingTheSchema(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            #expect(try await place.farewell("check").status == 0)
            _ = try await place.query("CREATE TABLE \(place.table("notes")) (id integer PRIMARY KEY, words text)")
            let unaccounted = try await place.farewell("check", "--accept")
            #expect(unaccounted.status == 1 && unaccounted.output.contains("notes"), "\(unaccounted)")
            let refused = try await place.farewell("erase", "--subject", place.person, "--yes")
            #expect(refused.status == 2, "\(refused)")
            let entry = "  \(place.table("notes")):\n    rule: not personal\n    columns: [id, words]\n"
            try place.changePlan { $0 + entry }
            #expect(try await place.farewell("check").status == 1)
            let accepted = try await place.farewell("check", "--accept")
            #expect(accepted.status == 0, "\(accepted)")
            #expect(try await place.farewell("check", "--ci").status == 0)
        }
    }

    @Test("receipts are checked with public keys alone, and a changed one is refused")
    func receiptElsewhere() async throws {
        try await CommandPlace.with(.sqlite) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            let keys = try await place.farewell("receipt", "keys").output
            try Data(keys.utf8).write(to: place.folder.appendingPathComponent("keys.json"))
            let receipts = place.state.appendingPathComponent("receipts")
            let file = try #require(
                try FileManager.default.contentsOfDirectory(atPath: receipts.path).first { $0.hasSuffix(".jws") })
            let signed = try String(contentsOf: receipts.appendingPathComponent(file), encoding: .utf8)
            for (name, text) in [("good.jws", signed), ("bad.jws", String(signed.dropLast(8)) + "AAAAAAA\n")] {
                try Data(text.utf8).write(to: place.folder.appendingPathComponent(name))
            }
            try FileManager.default.removeItem(at: place.state)
            let good = try await place.farewell("receipt", "verify", "good.jws", "--keys", "keys.json", "--json")
            #expect(good.status == 0 && good.objects.first?["genuine"] as? Bool == true, "\(good)")
            let bad = try await place.farewell("receipt", "verify", "bad.jws", "--keys", "keys.json")
            #expect(bad.status == 1, "\(bad)")
        }
    }

    @Test("keys and receipts are readable by their owner only")
    func fileRights() async throws {
        try await CommandPlace.with(.sqlite) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            let manager = FileManager.default
            let names = try #require(manager.enumerator(atPath: place.state.path)?.allObjects as? [String])
            #expect(names.count >= 6)
            for name in names + [""] {
                let attributes = try manager.attributesOfItem(atPath: place.state.appendingPathComponent(name).path)
                let rights = try #require(attributes[.posixPermissions] as? Int)
                #expect(rights & 0o077 == 0, "\(name) has \(String(rights, radix: 8))")
            }
        }
    }

    @Test("Item 55: a changed or shortened audit log is detected", arguments: SQLDialect.allCases)
    func auditLog(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            for subject in [place.person, place.neighbour] {
                #expect(try await place.farewell("erase", "--subject", subject, "--yes").status == 0)
            }
            let head = try await place.farewell("audit", "head")
            try Data(head.output.utf8).write(to: place.folder.appendingPathComponent("head.jws"))
            #expect(try await place.farewell("audit", "export").objects.count == 4)
            #expect(try await place.farewell("verify", "--audit", "--head", "head.jws").status == 0)
            let audit = dialect == .sqlite ? "farewell_audit" : "farewell.audit"
            let whole = try await place.farewell("doctor")
            #expect(whole.status == 0 && whole.output.contains("complete: 4 entries"), "\(whole)")
            _ = try await place.query("DELETE FROM \(audit) WHERE sequence = 4")
            #expect(try await place.farewell("verify", "--audit").status == 0)
            let shortened = try await place.farewell("verify", "--audit", "--head", "head.jws")
            #expect(shortened.status == 1, "\(shortened)")
            _ = try await place.query(
                "UPDATE \(audit) SET entry = replace(entry, 'engine', 'nobody') WHERE sequence = 1")
            let changed = try await place.farewell("verify", "--audit")
            #expect(changed.status == 1 && changed.errors.contains("changed"), "\(changed)")
        }
    }

    @Test("BX-7 a subject that a restored back-up brings back is erased again")
    func restoredBackUp() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let backUp = try Data(contentsOf: place.sqlite)
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            #expect(try await place.farewell("reerase", "--dry-run").status == 0)
            let strange = try await place.farewell("reerase", "--yes", "--state", "elsewhere")
            #expect(strange.status == 2 && strange.errors.contains("no state directory"), "\(strange)")
            #expect(!FileManager.default.fileExists(atPath: place.folder.appendingPathComponent("elsewhere").path))
            try place.restore(backUp)
            let found = try await place.farewell("reerase", "--dry-run", "--json")
            #expect(found.status == 1 && found.objects.first?["certain"] as? [String] == [place.person], "\(found)")
            let again = try await place.farewell("reerase", "--yes")
            #expect(again.status == 0, "\(again)")
            #expect(try await place.farewell("verify", "--subject", place.person, "--deep").status == 0)
            #expect(try await place.farewell("reerase", "--dry-run").status == 0)

            try place.restore(backUp)
            try FileManager.default.removeItem(at: place.folder.appendingPathComponent(".farewell/ledger.jsonl"))
            let lost = try await place.farewell("reerase", "--dry-run")
            #expect(lost.status == 1 && lost.output.contains("cannot show whether"), "no all-clear without the ledger: \(lost)")
        }
    }

    @Test("BX-7 after a kill during a re-erasure, a second reerase reports no success before --resume has completed it")
    func killedOverBackUp() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let backUp = try Data(contentsOf: place.sqlite)
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            try place.restore(backUp)
            // Accepted, begun, the rows gone.
            let arguments = [
                "reerase", place.address, place.plan.path, place.state.path, place.person, "3", "20000", "scan",
            ]
            let killed = try await Subprocess.run(
                .path(FilePath(TestBinary.path("CrashBody"))), arguments: .init(arguments), output: .discarded,
                error: .discarded)
            #expect(killed.terminationStatus == .signaled(SIGKILL))
            #expect(try await place.rows().allSatisfy { !$0.contains(place.person) })
            for flag in ["--yes", "--dry-run"] {
                let again = try await place.farewell("reerase", flag)
                #expect(again.status == 1 && again.output.contains("erase --resume"), "\(again)")
            }
            let told = try await place.farewell("reerase", "--dry-run", "--json")
            #expect(told.status == 1 && told.objects.first?["unfinished"] as? Int == 1, "\(told)")
            #expect(try await place.farewell("erase", "--resume").status == 0)
            let well = try await place.farewell("reerase", "--yes")
            #expect(well.status == 0 && !well.output.contains("--resume"), "\(well)")
        }
    }

    @Test("a list erases many subjects, and the answer names each of them", arguments: SQLDialect.allCases)
    func listOfPeople(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let nobody = "00000000-0000-4000-8000-000000000000"
            let keys = (1...6).map(place.people.subjectKey) + [nobody]
            let blank = "# leavers\n\n \(keys[0])\n"
            try Data(blank.utf8).write(to: place.folder.appendingPathComponent("list"))
            let refused = try await place.farewell("erase", "--subjects-file", "list", "--yes")
            #expect(refused.status == 2 && refused.errors.contains("Line 3 of the list"), "another key may be meant: \(refused)")
            let list = "# leavers\r\n" + keys.joined(separator: "\r\n") + "\n"
            try Data(list.utf8).write(to: place.folder.appendingPathComponent("list"))
            let end = try await place.farewell(
                "erase", "--subjects-file", "list", "--yes", "--json", "--concurrency", "2", "--group", "3")
            #expect(end.status == 3, "\(end)")
            let outcomes = try #require(end.objects.last?["outcomes"] as? [[String: Any]])
            #expect(Set(outcomes.compactMap { $0["position"] as? Int }) == Set(1...7))
            #expect(outcomes.filter { $0["outcome"] as? String == "done" }.count == 6)
            #expect(try await place.rows().allSatisfy { row in !keys.contains { row.contains($0) } })
        }
    }
}
