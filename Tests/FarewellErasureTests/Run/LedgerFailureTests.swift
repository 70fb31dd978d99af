// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A ledger that takes no entry")
struct LedgerFailureTests {
    @Test("OP-5 a state directory that cannot be written to is waited for; a damaged ledger still needs an operator")
    func families() {
        func family(_ error: FarewellError) -> FarewellError.Family? {
            let told = #expect(throws: FarewellError.self) { try LedgerFailure.passing { throw error } }
            #expect(told?.code == error.code && told?.message == error.message && told?.remedy == error.remedy)
            return told?.family
        }
        for number in [EACCES, EPERM, EROFS, ENOENT, ENOSPC, EIO] {
            #expect(family(FileFailure(number).error("The ledger cannot be opened")) == .tryAgain, "\(number)")
        }
        #expect(family(FarewellError("ledger.tampered", .yoursToFix, "The ledger was changed.")) == .yoursToFix)
    }

    @Test(
        "OP-5 an erasure whose ledger's folder is gone is unfinished, and resumes with a receipt once the folder is back",
        arguments: SQLDialect.allCases)
    func resumed(_ dialect: SQLDialect) async throws {
        let people = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            """
        try await EngineFixture.with(dialect, people) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let (state, away) = (fixture.state, fixture.folder + "/away")
            try FileManager.default.moveItem(atPath: state, toPath: away)
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.word == "unfinished" && outcome.error?.family == .tryAgain, "\(outcome)")
            if FileManager.default.fileExists(atPath: state) { try FileManager.default.removeItem(atPath: state) }
            try FileManager.default.moveItem(atPath: away, toPath: state)
            #expect(try await engine.resume().map(\.word) == ["done"])
            #expect(try await fixture.count("people") == 1)
        }
    }
}
