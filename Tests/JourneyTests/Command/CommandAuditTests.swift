// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import Testing

@Suite("The audit log as doctor sees it")
struct CommandAuditTests {
    @Test("OP-4 doctor finds a gap in the middle of the audit log, which an erasure does not check", arguments: SQLDialect.allCases)
    func gap(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            #expect(try await place.farewell("erase", "--subject", place.neighbour, "--yes").status == 0)
            let whole = try await place.farewell("doctor", "--json")
            #expect(whole.status == 0 && whole.output.contains("complete: 4 entries"), "\(whole)")
            let audit = dialect == .sqlite ? "farewell_audit" : "farewell.audit"
            _ = try await place.query("DELETE FROM \(audit) WHERE sequence = 2")
            let broken = try await place.farewell("doctor", "--json")
            #expect(broken.status == 1 && broken.output.contains("Entries are missing before entry 3"), "\(broken)")
            let verified = try await place.farewell("verify", "--audit")
            #expect(verified.status == 1 && verified.errors.contains("before entry 3"), "\(verified)")
            _ = try await place.query("UPDATE \(audit) SET entry = 'x' WHERE sequence = 1")
            let changed = try await place.farewell("doctor", "--json")
            #expect(changed.status == 1 && changed.output.contains("Entry 1 was changed"), "\(changed)")
        }
    }

    @Test("OP-4 doctor warns where the last entry that this machine saw is missing in the audit log, until its mark is deleted")
    func end() async throws {
        try await CommandPlace.with(.sqlite) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            #expect(try await place.farewell("erase", "--subject", place.neighbour, "--yes").status == 0)
            _ = try await place.farewell("status")
            _ = try await place.query("DELETE FROM farewell_audit WHERE sequence > 2")
            // Neither another command nor the first report forgets it.
            _ = try await place.farewell("status")
            for _ in 1...2 {
                let short = try await place.farewell("doctor", "--json")
                #expect(short.output.contains("entry 4, which was here before, is missing or changed"), "\(short)")
            }
            _ = try await place.query("DELETE FROM farewell_audit")
            let gone = try await place.farewell("doctor", "--json")
            #expect(gone.output.contains("is missing or changed"), "\(gone)")
            try FileManager.default.removeItem(at: place.state.appendingPathComponent("receipts.json"))
            let accepted = try await place.farewell("doctor", "--json")
            #expect(!accepted.output.contains("is missing or changed"), "\(accepted)")
        }
    }
}
