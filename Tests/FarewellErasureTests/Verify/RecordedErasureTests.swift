// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Subjects with a recorded erasure")
struct RecordedErasureTests {
    @Test("SY-1 a key that was never there has no rows and no record; an erased one has a record, from the ledger alone too")
    func recorded() async throws {
        let script = "CREATE TABLE people (id text PRIMARY KEY); INSERT INTO people VALUES ('one'), ('two')"
        try await EngineFixture.with(.sqlite, script) { fixture in
            let engine = try await fixture.engine()
            #expect(try await engine.verify("one", extent: .none).hasRows)
            #expect(try await !engine.isRecorded("one", state: fixture.state))
            #expect(try await engine.erase(["one"]).first?.receipt?.isComplete == true)
            for subject in ["one", "none"] {
                let found = try await engine.verify(subject, extent: .none)
                #expect(found.isClean && !found.hasRows)
                #expect(try await engine.isRecorded(subject, state: fixture.state) == (subject == "one"))
            }
            #expect(try await !engine.isRecorded("one", state: fixture.folder + "/elsewhere"))
            let restored = try SQLiteDatabase(
                path: fixture.folder + "/restored.sqlite", configuration: SQLiteConfiguration(access: .createIfMissing))
            try await restored.withConnection { connection in
                _ = try await connection.run(SQLStatement("CREATE TABLE people (id text PRIMARY KEY)"))
            }
            let looking = try await ErasureEngine.looking(
                at: restored, plan: try await fixture.plan(), environment: fixture.environment())
            #expect(try await looking.isRecorded("one", state: fixture.state))
            #expect(try await !looking.isRecorded("none", state: fixture.state))
            await restored.close()
        }
    }
}
