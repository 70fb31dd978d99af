// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("The difference between a crash's traces in the ledger and erased subjects")
struct UnconfirmedCrashTests {
    /// More points than any such erasing has.
    private static let most = 40

    /// Takes the database back and deletes the ledger's file, as if no subject had ever been erased.
    private func beginAgain(_ journey: ExampleJourney) async throws {
        try await journey.restore()
        for name in ["ledger.jsonl", "ledger.checked"] {
            try? FileManager.default.removeItem(atPath: journey.state + "/" + name)
        }
    }

    @Test(
        "OP-4 OPS-01 after a kill at every use of the database no remaining subject counts as erased; once committed, a restore finds it")
    func killedEverywhere() async throws {
        let which = CrashTests.Case(profile: .coachme, dialect: .postgresql, isSingleTransaction: true)
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: 4)
        try await journey.backUp()
        let subject = journey.people.subjectKey(at: 1)
        var (point, isKilled, unconfirmed, committed) = (0, true, 0, 0)
        while isKilled {
            point += 1
            try #require(point <= Self.most, "no process lived to its end")
            try await beginAgain(journey)
            let end = try await journey.run("erase", [subject], dieAt: "\(point)", which)
            isKilled = end.0 == .signaled(SIGKILL)
            let (database, engine) = try await journey.openEngine()
            let found = try await engine.findReturned()
            #expect(found.certain.isEmpty && found.doubtful.isEmpty, "killed at \(point): \(found)")
            let isThere = try await journey.rows().contains { $0.lowercased().contains(subject) }
            if !isThere { committed += 1 }
            if !found.unconfirmed.isEmpty {
                #expect(isThere && found.unconfirmed == [subject])
                unconfirmed += 1
            }
            await database.close()
            guard !isThere else { continue }
            // The database is restored to before: its ledger's file knows them for certain.
            try await journey.restore()
            let (restored, again) = try await journey.openEngine()
            let returned = try await again.findReturned()
            #expect(returned.certain == [subject] && returned.unconfirmed.isEmpty, "killed at \(point): \(returned)")
            await restored.close()
        }
        #expect(unconfirmed > 0 && committed > 1, "\(unconfirmed) unconfirmed, \(committed) committed")
        await journey.remove()
        await journey.removeBackUp()
    }

    @Test(
        "OP-4 a back-up of a running erasure, restored after its end, ends it again with a receipt of another name",
        arguments: SQLDialect.allCases, ["erase", "work"])
    func restoredMidRun(_ dialect: SQLDialect, _ verb: String) async throws {
        let which = CrashTests.Case(profile: .coachme, dialect: dialect)
        let journey = try await ExampleJourney.make(which.profile, dialect, people: 4)
        let subject = journey.people.subjectKey(at: 1)
        if verb == "work" {
            let (database, engine) = try await journey.openEngine()
            _ = try await ErasureRequests(engine, rules: ServiceRules(secondLook: 0)).request(subject)
            await database.close()
        }
        let killed = try await journey.run(verb, [subject], dieAt: "3", which)
        #expect(killed.0 == .signaled(SIGKILL))
        try await journey.backUp()
        let rescue = verb == "work" ? "work" : "resume"
        var receipts: [UUID] = []
        for turn in 1...3 {
            if turn > 1 { try await journey.restore() }
            let end = try await journey.run(rescue, [subject], dieAt: "0", which)
            #expect(end.0 == .exited(0), "\(end.1)")
            let (database, engine) = try await journey.openEngine()
            let record = try #require(try await engine.statuses(ofSubject: subject).first).erasure
            let signed = try #require(record.receipt, "\(record.state)")
            let keys = try KeyStore.existing(in: .existing(at: journey.state)).publicKeys
            receipts.append(try ReceiptVerifier(keys: keys).verify(signed).receipt.id)
            #expect(turn > 1 || receipts[0] == record.id)
            #expect(try await engine.findReturned().certain.isEmpty)
            await database.close()
        }
        #expect(Set(receipts).count == 3, "\(receipts)")
        await journey.remove()
        await journey.removeBackUp()
    }

    @Test("OP-4 a back-up with an erasure that waits for its worker, restored after its end, gives a second receipt of another name")
    func restoredBeforeWork() async throws {
        let which = CrashTests.Case(profile: .coachme, dialect: .postgresql, isSingleTransaction: true)
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: 4)
        let subject = journey.people.subjectKey(at: 1)
        let (asking, requests) = try await journey.openEngine()
        _ = try await ErasureRequests(requests, rules: ServiceRules(secondLook: 0)).request(subject)
        await asking.close()
        try await journey.backUp()
        var receipts: [UUID] = []
        for turn in 1...2 {
            if turn > 1 { try await journey.restore() }
            let end = try await journey.run("work", [subject], dieAt: "0", which)
            #expect(end.0 == .exited(0), "\(end.1)")
            let (database, engine) = try await journey.openEngine()
            let record = try #require(try await engine.statuses(ofSubject: subject).first).erasure
            let keys = try KeyStore.existing(in: .existing(at: journey.state)).publicKeys
            receipts.append(try ReceiptVerifier(keys: keys).verify(try #require(record.receipt)).receipt.id)
            await database.close()
        }
        #expect(Set(receipts).count == 2, "\(receipts)")
        await journey.remove()
        await journey.removeBackUp()
    }

    @Test(
        "OP-4 with a lost ledger and a restored back-up of a running erasure, a receipt with an existing file is not issued again",
        arguments: SQLDialect.allCases)
    func restoredWithoutLedger(_ dialect: SQLDialect) async throws {
        let which = CrashTests.Case(profile: .coachme, dialect: dialect)
        let journey = try await ExampleJourney.make(which.profile, dialect, people: 4)
        let subject = journey.people.subjectKey(at: 1)
        #expect(try await journey.run("erase", [subject], dieAt: "3", which).0 == .signaled(SIGKILL))
        try await journey.backUp()
        let folder = journey.state + "/receipts"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var receipts: [UUID] = []
        for turn in 1...2 {
            if turn > 1 { try await beginAgain(journey) }
            let end = try await journey.run("resume", [subject], dieAt: "0", which)
            #expect(end.0 == .exited(0), "\(end.1)")
            let (database, engine) = try await journey.openEngine()
            let signed = try #require(try await engine.statuses(ofSubject: subject).first?.erasure.receipt)
            let keys = try KeyStore.existing(in: .existing(at: journey.state)).publicKeys
            let receipt = try ReceiptVerifier(keys: keys).verify(signed).receipt.id
            // As the command writes it.
            try Data((signed + "\n").utf8).write(to: URL(fileURLWithPath: "\(folder)/\(receipt.text).jws"))
            receipts.append(receipt)
            await database.close()
        }
        #expect(Set(receipts).count == 2, "\(receipts)")
        await journey.remove()
        await journey.removeBackUp()
    }
}
