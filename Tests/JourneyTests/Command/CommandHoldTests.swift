// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import Testing

@Suite("The command with an erasure that an operator holds")
struct CommandHoldTests {
    @Test("BX-9 another erasure of the subject and a release both name the hold, and their statuses stay")
    func named() async throws {
        try await CommandPlace.with(.sqlite, isPlanned: false) { place in
            _ = try await place.query(
                "CREATE TRIGGER refuse BEFORE DELETE ON auth_users BEGIN SELECT raise(ABORT, 'not now'); END")
            try await place.writePlan()
            let parked = try await place.farewell("erase", "--subject", place.person, "--yes")
            #expect(parked.status == 1, "\(parked)")
            _ = try await place.query(
                "INSERT INTO farewell_holds (erasure, reason, since) SELECT id, 'court order 7', requested_at "
                    + "FROM farewell_erasures")
            let found = try await place.query("SELECT erasure FROM farewell_holds")
            let erasure = try #require(found.first?.first?.text)
            let released = try await place.farewell("erase", "--release", erasure)
            #expect(released.status == 0 && released.output.contains("court order 7"), "\(released)")
            #expect(!released.output.contains("No unfinished erasures"), "\(released)")
            let second = try await place.farewell("erase", "--subject", place.person, "--yes")
            #expect(second.status == 4 && second.output.contains("on hold"), "\(second)")
            #expect(second.output.contains("court order 7") && !second.output.contains("already erasing"), "\(second)")
            let told = try await place.farewell("erase", "--subject", place.person, "--yes", "--json")
            let outcome = try #require((told.objects.last?["outcomes"] as? [[String: Any]])?.first)
            #expect(outcome["cause"] as? String == "on hold: court order 7", "\(told)")
        }
    }
}
