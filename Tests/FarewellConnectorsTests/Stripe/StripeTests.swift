// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Foundation
import Subprocess
import Testing

// One after the other with the other tests of the same fake.
extension VendorTests {
    @Suite("Stripe: redaction jobs, and subscriptions that may run until their period ends")
    struct StripeTests {
        private static let start = 1_800_000_000.0
        private static let day = 86_400.0

        @Test("Items 46, 48, F10-F16 with a redaction job the promises of connectors hold, with every failure")
        func promises() async throws {
            let bed = try VendorBed("stripe") { $0.settings["redact"] = "job" }
            try await ConnectorConformance(bed).run()
        }

        @Test("Stripe's own client understands the fake Stripe, keys, pages, errors and jobs")
        func client() async throws {
            let bed = try VendorBed("stripe")
            let person = try await bed.settle()
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let result = try await Subprocess.run(
                .name("python3"),
                arguments: [
                    root.appending(path: "Interop/stripe_client.py").path, try PeerProcess.vendors.get().text("endpoint") + "/stripe",
                    try PeerProcess.vendors.get().text("key"), person[0],
                ], output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
            #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
        }

        @Test("F1 P3 a redaction job is created, validated, run and awaited once, wherever the worker is killed")
        func redaction() async throws {
            let bed = try VendorBed("stripe") { $0.settings["redact"] = "job" }
            let person = try await bed.settle()
            let calls = try await calls(of: bed, person)
            #expect(try await jobs() == ["succeeded"])
            for call in 0..<calls {
                for fault in [InjectedFault.killedAfter] {
                    let person = try await bed.settle()
                    let kept = Guarded<StepProgress?>(nil)
                    let driver = ConnectorDriver("stripe", bed.connector, sleep: { _ in }, chance: { 0.5 })
                    let request = ConnectorRequest(key: "run/\(person[0])", names: person)
                    await bed.inject(fault, at: call, lasting: false)
                    await #expect(throws: CancellationError.self, "\(fault) at \(call)") {
                        _ = try await driver.run(request, from: nil) { progress in kept.withLock { $0 = progress } }
                    }
                    await bed.inject(nil, at: 0, lasting: false)
                    let end = try await driver.run(request, from: kept.withLock { $0 }) { _ in }
                    #expect(end.counts["found"] == 1, "\(fault) at \(call)")
                    #expect(try await jobs() == ["succeeded"], "\(fault) at \(call)")
                    #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
                }
            }
        }

        /// How many calls an undisturbed erasure makes.
        private func calls(of bed: VendorBed, _ person: [String]) async throws -> Int {
            await bed.inject(nil, at: 0, lasting: false)
            let driver = ConnectorDriver("stripe", bed.connector, sleep: { _ in }, chance: { 0.5 })
            let progress = try await driver.run(.init(key: "run/\(person[0])", names: person), from: nil) { _ in }
            #expect(progress.counts["found"] == 1)
            return await bed.calls
        }

        private func jobs() async throws -> [String] {
            try await PeerProcess.vendors.get().control("POST", "/jobs/stripe").array?.compactMap { $0["status"]?.string } ?? []
        }

        @Test("a customer who cannot be redacted is refused with the codes; fixed and released, the same job is validated again")
        func notRedactable() async throws {
            let clock = Guarded(Self.start)
            let bed = try VendorBed("stripe", clock: clock) { $0.settings["redact"] = "job" }
            let person = try await bed.settle()
            _ = try await PeerProcess.vendors.get().control("POST", "/block/stripe")
            let driver = ConnectorDriver("stripe", bed.connector, sleep: { _ in }, chance: { 0.5 })
            let kept = Guarded<StepProgress?>(nil)
            func run() async throws {
                _ = try await driver.run(.init(key: "run", names: person), from: kept.withLock { $0 }) { progress in
                    kept.withLock { $0 = progress }
                }
            }
            do {
                try await run()
                Issue.record("A customer was reported as redacted.")
            } catch let error as FarewellError {
                #expect(error.code == "connector.refused" && error.message.contains("(invalid_state)"), "\(error)")
            }
            #expect(!bed.entries(of: person, in: try await bed.census()).isEmpty, "not deleted before it is redacted")
            _ = try await PeerProcess.vendors.get().control("POST", "/elapse/stripe")
            clock.withLock { $0 += 3_600 }
            try await run()
            #expect(try await jobs() == ["succeeded"])
            #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
        }

        @Test(
            "a subscription may run until its period ends: the step waits with its reason until then, and then the customer is deleted")
        func periodEnd() async throws {
            let clock = Guarded(Self.start)
            let bed = try VendorBed("stripe", clock: clock) { $0.settings["subscriptions"] = "period-end" }
            let person = try await bed.settle()
            let first = try await bed.connector.erase(.init(key: "run", names: person))
            guard case .resting(let cursor, let until, let why) = first else {
                Issue.record("\(first)")
                return
            }
            // The last of the two that are left ends two seconds after the period of the first.
            #expect(until == Self.start + 10 * Self.day + 2 + 60 && why.contains("paid period"), "\(first)")
            #expect(try await bed.census()[person[0]]?.contains("example.org") == true, "the customer is still there")
            // Asked before its time, it answers the same and tells Stripe nothing new.
            await bed.inject(nil, at: 0, lasting: false)
            clock.withLock { $0 += Self.day }
            #expect(try await bed.connector.erase(.init(key: "run", names: person, cursor: cursor)) == first)
            #expect(await bed.sending.sent.allSatisfy { $0.method == "GET" })
            _ = try await PeerProcess.vendors.get().control("POST", "/elapse/stripe")
            clock.withLock { $0 = until }
            #expect(try await bed.connector.erase(.init(key: "run", names: person, cursor: cursor)) == .erased(1))
            #expect(try await bed.connector.verify(.init(key: "run", names: person)) == .gone)
        }

        @Test("SV-7 a subscription paid for a year keeps no user's data for a year: after the plan's latest day everything is deleted")
        func latestDay() async throws {
            let clock = Guarded(Self.start)
            let bed = try VendorBed("stripe", clock: clock) { system in
                system.settings["subscriptions"] = "period-end"
                system.settings["latest"] = "7"
            }
            let person = try await bed.settle()
            let first = try await bed.connector.erase(.init(key: "run", names: person))
            guard case .resting(let cursor, let until, _) = first else {
                Issue.record("\(first)")
                return
            }
            #expect(until == Self.start + 7 * Self.day)
            clock.withLock { $0 = until }
            #expect(try await bed.connector.erase(.init(key: "run", names: person, cursor: cursor)) == .erased(1))
            #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
            // A request of 27 days ago waits two days more, whatever the plan allows; the next customer's days are the same.
            let people = try await bed.settle() + ["cus_gone"]
            let asked = clock.withLock { $0 - 27 * Self.day }
            func ask(_ cursor: String?) async throws -> ConnectorAnswer {
                try await bed.connector.erase(.init(key: "late", names: people, cursor: cursor, requestedAt: asked))
            }
            let begun = try await ask(nil)
            guard case .resting(let rest, let day, _) = begun else {
                Issue.record("\(begun)")
                return
            }
            #expect(day == asked + 29 * Self.day)
            clock.withLock { $0 = day }
            let followed = try await ask(rest)
            guard case .more(1, let next) = followed else {
                Issue.record("\(followed)")
                return
            }
            #expect(next.contains("\"since\":"))
            #expect(try await ask(next) == .nothingThere)
            for days in ["0", "31", "soon"] {
                #expect(throws: FarewellError.self, "\(days)") {
                    try VendorBed("stripe") { $0.settings.merge(["subscriptions": "period-end", "latest": days]) { $1 } }
                }
            }
        }

        @Test("OP-3 no subscription ends by an untrusted clock, nor by the process's clock where another clock decides")
        func doubtfulClock() async throws {
            let clock = Guarded(Self.start)
            let bed = try VendorBed("stripe", clock: clock) { system in
                system.settings["subscriptions"] = "period-end"
                system.settings["latest"] = "7"
            }
            let person = try await bed.settle()
            clock.withLock { $0 += 40 * Self.day }
            func ask(_ cursor: String?, _ time: ConnectorTime) async throws -> ConnectorAnswer {
                try await bed.connector.erase(
                    .init(key: "run", names: person, cursor: cursor, requestedAt: Self.start, time: time))
            }
            let doubtful = try await ask(nil, .doubtful(Self.start + 40 * Self.day))
            guard case .resting(let cursor, Self.start + 40 * Self.day + 3_600, _) = doubtful else {
                Issue.record("\(doubtful)")
                return
            }
            let decided = try await ask(cursor, .decided(Self.start))
            guard case .resting(let rest, let day, _) = decided else {
                Issue.record("\(decided)")
                return
            }
            #expect(day == Self.start + 7 * Self.day)
            #expect(await bed.sending.sent.allSatisfy { $0.method != "DELETE" })
            #expect(try await ask(rest, .decided(day)) == .erased(1))
        }

        @Test("the receipt names the data that Stripe keeps with its reason, redacted or not", arguments: ["none", "job"])
        func kept(_ redact: String) throws {
            let bed = try VendorBed("stripe") { $0.settings["redact"] = redact }
            let remarks = bed.connector.declaration.remarks
            #expect(remarks.map(\.about) == ["invoices and payments", "other customers"])
            #expect(remarks[0].note.contains("tax and accounting law"))
            #expect(bed.connector.declaration.permissions.contains("Redaction jobs: write") == (redact == "job"))
        }
    }
}
