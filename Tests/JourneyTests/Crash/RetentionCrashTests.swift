// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("The end of a retention, killed at any point, happens once")
struct RetentionCrashTests {
    @Test(
        "BX-3 BX-4 P9 after a kill at every use of the database during the end of a retention, the next ends it, each once",
        arguments: SQLDialect.allCases)
    func killedEverywhere(_ dialect: SQLDialect) async throws {
        let which = CrashTests.Case(profile: .chinook, dialect: dialect, isSingleTransaction: true)
        let customers = SamplePeople.chinookCustomers
        let journey = try await ExampleJourney.make(which.profile, dialect, people: customers)
        let (database, engine) = try await journey.openEngine()
        let control = dialect == .postgresql ? "farewell." : "farewell_"
        let points = KillPoints.of(dialect, most: 2 * customers)
        var (customer, isKilled) = (0, true)
        while isKilled {
            customer += 1
            try #require(customer <= customers, "no process lived to its end")
            let point = points[customer - 1]
            _ = try await engine.erase(["\(customer)"], options: which.options)
            // As if the years had gone by.
            try await run("UPDATE \(control)retentions SET until = '2001-12-31' WHERE ended_at IS NULL", database)
            var expected = try await journey.customerRows()
            let (invoices, lines) = (expected.invoices(of: customer), expected.lines(of: customer))
            #expect(!invoices.isEmpty && !lines.isEmpty)
            expected.invoices.removeAll { invoices.contains($0) }
            expected.lines.removeAll { lines.contains($0) }

            var end = try await journey.run("retain", ["\(customer)"], dieAt: "\(point)", which)
            isKilled = end.0 == .signaled(SIGKILL)
            if isKilled { end = try await journey.run("retain", ["\(customer)"], dieAt: "0", which) }
            let comment = "\(isKilled ? "killed" : "alive") at \(point): \(end.1)"
            #expect(end.0 == .exited(0), "\(comment)")

            let after = try await journey.customerRows()
            #expect(after == expected, "\(comment)")
            let open = "ended_at IS NULL OR ended <> kept OR sealed IS NOT NULL OR wrapped_key IS NOT NULL"
            let unended = try await run("SELECT count(*) FROM \(control)retentions WHERE \(open)", database)
            #expect(unended.scalar?.integer == 0, "\(comment)")
            let entries = try await run("SELECT entry FROM \(control)audit", database).rows.compactMap { $0[0].text }
            let told = entries.filter { $0.contains("retention.ended") }
            #expect(told.count == 2 * customer, "one entry for the invoices and one for their lines, \(comment)")
            #expect(try await engine.verifyAudit() == entries.count)
        }
        #expect(points[customer - 1] > 12, "there are more points than \(points[customer - 1] - 1)")
        await database.close()
        await journey.remove()
    }

    @discardableResult
    private func run(_ statement: String, _ database: any SQLDatabase) async throws -> SQLResult {
        try await database.withConnection { try await $0.run(SQLStatement(statement)) }
    }
}
