// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("A second erasure after a restore, killed at any point, is completed")
struct ReturnedCrashTests {
    static let cases = SQLDialect.allCases.flatMap { dialect in
        [
            CrashTests.Case(profile: .coachme, dialect: dialect, largeFrom: 1, leaving: 2),
            CrashTests.Case(profile: .coachme, dialect: dialect, leaving: 2, isSingleTransaction: true),
        ]
    }

    /// More points than any such erasing has.
    private static let most = 80

    @Test(
        "BX-4 BX-7 a second erasure after a restore, killed at every point, resumed and repeated, erases each subject once",
        arguments: cases)
    func killedEverywhere(_ which: CrashTests.Case) async throws {
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: 5)
        try await journey.backUp()
        let subjects = [1, 3].map { journey.people.subjectKey(at: $0) }
        let before = try await journey.rows()
        let (original, engine) = try await journey.openEngine()
        let planned = try await journey.preview(engine, subjects)
        let outcomes = try await engine.erase(subjects, options: which.options)
        #expect(outcomes.count == 2)
        let gone = try await journey.rows().sorted()
        await original.close()

        var (last, isKilled) = (0, true)
        for point in KillPoints.of(which.dialect, most: Self.most, example: which.isSingleTransaction ? 1 : 0, examples: 2)
        where isKilled {
            last = point
            try await journey.restore()
            let end = try await journey.run("reerase", subjects, dieAt: "\(point)", which)
            isKilled = end.0 == .signaled(SIGKILL)
            var comment = "\(isKilled ? "killed" : "alive") at \(point): \(end.1)"
            #expect(isKilled || end.0 == .exited(0), "\(comment)")
            // Unfinished erasures are resumed; those not begun are found by another look.
            for verb in isKilled ? ["resume", "reerase"] : [] {
                let outcome = try await journey.rescue(verb, subjects, which)
                comment += "\n\(verb): \(outcome)"
            }
            try await judge(journey, subjects, before, planned, gone, comment)
        }
        #expect(!isKilled, "no process lived to its end")
        #expect(last > 10, "there are more points than \(last - 1)")
        await journey.remove()
        await journey.removeBackUp()
    }

    /// Subjects of the ledger are gone, all others have their rows, and each was erased once since the restore.
    private func judge(
        _ journey: ExampleJourney, _ subjects: [String], _ before: [String], _ planned: [String: Int], _ gone: [String],
        _ comment: String
    ) async throws {
        let (database, engine) = try await journey.openEngine()
        let after = try await journey.check(engine, subjects, before, planned, comment)
        #expect(after.sorted() == gone, "\(comment)")
        let returned = try await engine.findReturned()
        #expect(returned.certain.isEmpty && returned.doubtful.isEmpty && returned.examined == 3, "\(returned), \(comment)")
        let erasures = journey.dialect == .postgresql ? "farewell.erasures" : "farewell_erasures"
        let done = SQLStatement("SELECT count(*) FROM \(erasures) WHERE state = 'done'")
        let ended = try await database.withConnection { try await $0.run(done).scalar?.integer }
        #expect(ended == 2, "each was erased once, \(comment)")
        await database.close()
    }
}

/// A back-up of the example's database, as its people were made; the state directory is in none.
extension ExampleJourney {
    private var file: String { String(address.dropFirst("sqlite:".count)) }
    private var backUpName: String { databaseName + "_backup" }

    func backUp() async throws {
        guard dialect == .sqlite else {
            return try await TestServer.run("CREATE DATABASE \(backUpName) TEMPLATE \(databaseName)")
        }
        let database = try open()
        _ = try await database.withConnection { try await $0.run("VACUUM INTO '\(file).backup'") }
        await database.close()
    }

    /// Takes the database back to the back-up. No client may be connected.
    func restore() async throws {
        guard dialect == .sqlite else {
            await TestServer.dropDatabase(databaseName)
            return try await TestServer.run("CREATE DATABASE \(databaseName) TEMPLATE \(backUpName)")
        }
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
        try FileManager.default.copyItem(atPath: file + ".backup", toPath: file)
    }

    func removeBackUp() async {
        if dialect == .postgresql { await TestServer.dropDatabase(backUpName) }
    }
}
