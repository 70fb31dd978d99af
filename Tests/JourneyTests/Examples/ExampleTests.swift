// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation
import Testing

/// Each example with its own plan, as the walk-throughs show it: check, preview, erase, read back, search, receipt.
@Suite("The examples match their walk-throughs", .serialized)
struct ExampleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let profile: SamplePeople.Profile
        let dialect: SQLDialect
        var testDescription: String { "\(profile) on \(dialect)" }
    }

    static func cases(_ profile: SamplePeople.Profile) -> [Case] {
        SQLDialect.allCases.map { Case(profile: profile, dialect: $0) }
    }

    @Test("SV-4 SV-7 an erasure in coachme deletes one user: seven tables at once, nothing else", arguments: cases(.coachme))
    func coachme(_ which: Case) async throws {
        let told = try await leave(which)
        let tables = told.keys.map { $0.split(separator: ".").last.map(String.init) ?? $0 }.sorted()
        let root = which.dialect == .sqlite ? ["auth_users", "users"] : ["users", "users"]
        #expect(
            tables.filter { !$0.hasSuffix("users") }
                == ["context_profiles", "conversations", "messages", "pattern_syntheses", "usage_logs"])
        #expect(tables.filter { $0.hasSuffix("users") } == root)
    }

    @Test("SV-5 SV-7 an erasure in muse deletes one user: eleven tables, photos, then the account", arguments: cases(.muse))
    func muse(_ which: Case) async throws {
        let told = try await leave(which)
        #expect(told.keys.contains("photos"))
        #expect(told.keys.filter { $0.hasSuffix("users") && !$0.contains("reported") }.count == 1)
        #expect((told["photos"] ?? 0) > 0)
    }

    /// The example subject is erased; all other rows and files are byte for byte as before.
    private func leave(_ which: Case) async throws -> [String: Int] {
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: 60)
        let subject = journey.people.subjectKey(at: journey.people.exampleIndex)
        let (database, engine) = try await journey.openEngine()
        let preview = try await engine.preview(subject)
        #expect(preview.blockers.isEmpty)
        let before = try await journey.rows()
        let files = journey.files()
        let outcomes = try await engine.erase([subject], options: ErasureOptions(deepScan: .complete))
        guard case .done(let receipt, _) = try #require(outcomes.first) else {
            Issue.record("\(outcomes)")
            return [:]
        }
        #expect(receipt.isComplete)
        #expect(receipt.verification.deepScan.extent == .complete)
        #expect(receipt.verification.readBack.rowsLeft == 0)
        let after = try await journey.rows()
        #expect(Set(after).isSubset(of: Set(before)), "a neighbour's row was changed")
        for identifier in journey.people.identifiers(at: journey.people.exampleIndex) + [subject] {
            #expect(!after.contains { $0.contains(identifier) }, "an identifier is left")
        }
        #expect(journey.files() == files.filter { !$0.hasPrefix("\(subject)/") })
        let told = Dictionary(receipt.steps.flatMap(\.places).map { ($0.place, $0.erased) }, uniquingKeysWith: +)
        #expect(told == Dictionary(preview.places.filter { $0.count > 0 }.map { ($0.place, $0.count) }) { a, _ in a })
        #expect(before.count - after.count == told.filter { $0.key != "photos" }.values.reduce(0, +))
        await database.close()
        await journey.remove()
        return told
    }

    @Test(
        "BX-3 an erasure in the shop deletes a customer: invoices stay without an address, employees are unchanged",
        arguments: cases(.chinook))
    func chinook(_ which: Case) async throws {
        let journey = try await ExampleJourney.make(.chinook, which.dialect, people: SamplePeople.chinookCustomers)
        let (database, engine) = try await journey.openEngine()
        let before = try await journey.rows()
        let outcomes = try await engine.erase(["30"], options: ErasureOptions(deepScan: .complete))
        guard case .done(let receipt, _) = try #require(outcomes.first) else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(receipt.isComplete, "\(receipt.verification)")
        #expect(receipt.totals.erased == 0)
        #expect(receipt.totals.anonymised == 1)
        #expect(receipt.retained.map(\.rows).sorted() == [7, 38])
        #expect(receipt.retained.allSatisfy { $0.until != nil && !$0.reason.isEmpty })
        let after = try await journey.rows()
        #expect(after.count == before.count)
        let changed = Set(after).subtracting(before)
        #expect(changed.count == 8, "one customer and seven invoices, and no other row")
        let address = ["230 Elgin Street", "Ottawa", SQLValue.text("ON").written, "K2P 1L7"]
        for name in ["Edward", "Francis", "edfrancis@yachoo.ca", "+1 (613) 234-3322"] + address {
            #expect(!changed.contains { $0.contains(name) }, "\(name)")
        }
        func invoices(_ rows: [String]) -> [[String]] {
            table("Invoice", in: rows).filter { $0[2] == SQLValue.integer(30).written }
        }
        // Each keeps its number, customer, day, country and total, and nothing else.
        var kept = invoices(before)
        for row in kept.indices { for column in [4, 5, 6, 8] { kept[row][column] = SQLValue.null.written } }
        #expect(kept.count == 7 && invoices(after) == kept)
        let employees = table("Employee", in: before)
        #expect(employees.count == 8 && table("Employee", in: after) == employees)
        let again = try await engine.findReturned()
        #expect(again.certain.isEmpty && again.doubtful.isEmpty, "the anonymised customer has not come back")
        await database.close()
        await journey.remove()
    }

    /// The rows of one of Chinook's tables, in a fixed order: its name and then each column.
    private func table(_ name: String, in rows: [String]) -> [[String]] {
        rows.filter { $0.hasPrefix("\(name)|") || $0.hasPrefix("public.\(name.lowercased())|") }.sorted()
            .map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
    }
}

extension ExampleJourney {
    /// The photo files by their paths below the folder.
    func files() -> [String] {
        (FileManager.default.enumerator(atPath: photos.path)?.compactMap { $0 as? String } ?? [])
            .filter { $0.contains("/") }.sorted()
    }
}
