// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

/// The shop's customers: the row of one is made anonymous, invoices and their lines are kept.
@Suite("An erasure that keeps rows, killed at any point, leaves the same as an undisturbed one")
struct KeepingCrashTests {
    static let byStep = SQLDialect.allCases.flatMap { dialect in
        [20_000, 1].map { CrashTests.Case(profile: .chinook, dialect: dialect, largeFrom: $0) }
    }

    static let prompt = SQLDialect.allCases.map { CrashTests.Case(profile: .chinook, dialect: $0, isSingleTransaction: true) }

    @Test(
        "BX-3 BX-4 after a kill at every recorded transition the remaining rows are as undisturbed, and the receipt is correct",
        arguments: byStep)
    func killedEverywhere(_ which: CrashTests.Case) async throws {
        let killed = try await killEverywhere(which, "erase", rescuing: "resume")
        #expect(killed >= 5, "every run has more transitions than \(killed)")
    }

    @Test(
        "BX-3 BX-4 F1 after a worker is killed at every use of the database the next ends it, with remaining rows as undisturbed",
        arguments: prompt)
    func promptWorkerKilledEverywhere(_ which: CrashTests.Case) async throws {
        let killed = try await killEverywhere(which, "work", rescuing: "work") { engine, subject in
            _ = try await ErasureRequests(engine, rules: ServiceRules(secondLook: 0)).request(subject)
        }
        #expect(killed >= 10, "every erasure has more points than \(killed)")
    }

    /// Kills a process at the first point over the first customer, another one at the next point over the second, and so on until one
    /// completes. Each time another process completes the erasure, and in an otherwise equal shop the same customer is erased undisturbed.
    ///
    /// - Returns: the last point before the end.
    private func killEverywhere(
        _ which: CrashTests.Case, _ verb: String, rescuing: String,
        asking: (ErasureEngine, _ subject: String) async throws -> Void = { _, _ in }
    ) async throws -> Int {
        let customers = SamplePeople.chinookCustomers
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: customers)
        let twin = try await ExampleJourney.make(which.profile, which.dialect, people: customers)
        let (database, engine) = try await journey.openEngine()
        let (twinDatabase, undisturbed) = try await twin.openEngine()
        var before = try await journey.customerRows()
        let points = KillPoints.of(
            which.dialect, most: 4 * customers, example: which.largeFrom == 1 ? 1 : 0, examples: which.isSingleTransaction ? 1 : 2)
        var (customer, kept, isKilled) = (0, 0, true)
        while isKilled {
            customer += 1
            try #require(customer <= customers, "no process lived to its end")
            let point = points[customer - 1]
            try await asking(engine, "\(customer)")
            let end = try await journey.run(verb, ["\(customer)"], dieAt: "\(point)", which)
            isKilled = end.0 == .signaled(SIGKILL)
            let outcome = isKilled ? try await journey.rescue(rescuing, ["\(customer)"], which) : end.1
            let comment = "\(isKilled ? "killed" : "alive") at \(point): \(outcome)"
            #expect(isKilled || end.0 == .exited(0), "\(comment)")

            _ = try await undisturbed.erase(["\(customer)"], options: which.options)
            let after = try await journey.customerRows()
            let expected = try await twin.customerRows()
            #expect(after.withoutHashes == expected.withoutHashes, "\(comment)")
            #expect(after.others(than: customer) == before.others(than: customer), "a neighbour's row was changed, \(comment)")
            #expect(Set(after.emails).count == customers, "\(comment)")
            let receipt = try await receipt(of: customer, engine, comment)
            let other = try await self.receipt(of: customer, undisturbed, comment)
            #expect(receipt.fates == other.fates, "\(comment)")
            #expect(receipt.totals.anonymised == 1 && receipt.totals.erased == 0, "\(comment)")
            let stayed = [after.invoices(of: customer).count, after.lines(of: customer).count]
            #expect(Set(receipt.retained.map(\.rows)) == Set(stayed), "\(comment)")
            kept += receipt.retained.map(\.rows).reduce(0, +)
            before = after
        }
        let music = try await journey.rows { !CustomerRows.areIn($0) }.sorted()
        let twinsMusic = try await twin.rows { !CustomerRows.areIn($0) }.sorted()
        #expect(twinsMusic == music)
        #expect(try await count("count(*)", of: "ledger", in: database) == customer, "one entry for each")
        #expect(try await count("sum(kept)", of: "retentions", in: database) == kept, "as many as the receipts tell")
        #expect(try await engine.verifyAudit() > 0)
        for open in [database, twinDatabase] { await open.close() }
        for made in [journey, twin] { await made.remove() }
        return points[customer - 1] - 1
    }

    /// The one receipt of a customer.
    private func receipt(of customer: Int, _ engine: ErasureEngine, _ comment: String) async throws -> Receipt {
        let statuses = try await engine.statuses(ofSubject: "\(customer)")
        #expect(statuses.map(\.erasure.state) == [.done], "\(comment)")
        let receipt = try await engine.openReceipt(of: try #require(statuses.first).erasure.id)
        #expect(receipt.isComplete && receipt.retained.allSatisfy { $0.until != nil && !$0.reason.isEmpty }, "\(comment)")
        return receipt
    }

    private func count(_ what: String, of table: String, in database: any SQLDatabase) async throws -> Int {
        let name = (database.dialect == .postgresql ? "farewell." : "farewell_") + table
        let answer = try await database.withConnection { try await $0.run("SELECT \(what) FROM \(name)").scalar?.integer }
        return Int(try #require(answer))
    }
}

extension Receipt {
    /// The number of rows by outcome, place by place.
    fileprivate var fates: [String] {
        let places = steps.flatMap(\.places).filter { $0.erased + $0.anonymised + $0.retained > 0 }
            .map { "\($0.place): \($0.erased), \($0.anonymised), \($0.retained)" }
        return places.sorted() + retained.map { "\($0.place): \($0.rows) kept" }.sorted()
    }
}
