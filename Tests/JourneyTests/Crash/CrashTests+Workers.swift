// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

extension CrashTests {
    static let workerCases = [
        Case(profile: .coachme, dialect: .postgresql, largeFrom: 20_000),
        Case(profile: .coachme, dialect: .sqlite, largeFrom: 1),
        Case(profile: .muse, dialect: .postgresql, largeFrom: 20_000),
    ]

    @Test(
        "BX-4 F1 a worker killed after every recorded transition: another one ends the erasure, effects once, receipt right",
        arguments: workerCases)
    func workerKilledEverywhere(_ which: Case) async throws {
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: 50)
        var killed = 0
        var before = try await journey.rows()
        for point in 1...50 {
            let subject = journey.people.subjectKey(at: (point - 1) % journey.people.people)
            let planned = try await preview(journey, subject)
            let (database, engine) = try await journey.openEngine()
            let asked = try await ErasureDesk(engine, rules: ServiceRules(secondLook: 0)).request(subject)
            #expect(asked.erasure.state == .requested)
            await database.close()
            let (status, output) = try await journey.run(
                "work", subject: subject, dieAfter: point, largeFrom: which.largeFrom)
            if case .exited(let code) = status {
                #expect(code == 0 && output.hasSuffix("done\n"), "\(output)")
                _ = try await check(journey, subject, before, planned, "uninterrupted at \(point)")
                break
            }
            killed += 1
            let (second, text) = try await journey.run("work", subject: subject, dieAfter: 0, largeFrom: which.largeFrom)
            #expect(second == .exited(0) && text.hasSuffix("done\n"), "taken over after \(point): \(text)")
            before = try await check(journey, subject, before, planned, "killed after \(point): \(output)")
        }
        #expect(killed >= 6, "every erasure has more transitions than \(killed)")
        await journey.remove()
    }
}
