// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Testing

@Suite("A user with very many rows, by the command")
struct CommandLargeAccountTests {
    /// `make bench ARGS=large` measures a million.
    private static let messages = 100_000
    /// No transaction takes more rows than this.
    private static let bound = 20_000

    @Test(
        "BX-8 100,000 messages are erased in bounded pieces, other programs write in between, and the counts are exact",
        arguments: SQLDialect.allCases)
    func pieces(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 4, messagesOfOne: Self.messages) { place in
            let subject = place.people.subjectKey(at: 0)
            let neighbours = Set(try await place.rows().filter { !$0.contains(subject) })
            let planned = try await place.farewell("preview", "--subject", subject, "--json").objects.first?["erased"] as? Int
            var (done, written, ending) = ([0], 0, "")
            let status = try await place.following(["erase", "--subject", subject, "--yes", "--json"]) { _, text in
                for line in text.split(separator: "\n") {
                    ending = line.hasPrefix("{\"outcomes\"") ? String(line) : ending + line
                    let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    guard event?["event"] as? String == "advanced", let rows = event?["done"] as? Int else { continue }
                    done.append(rows)
                    // No lock is held while the command waits to be read.
                    _ = try await place.query(
                        "UPDATE \(place.table("users")) SET time_zone = 'Z\(done.count)' WHERE id <> '\(subject)'")
                    written += 1
                }
            }
            #expect(status == 0)
            #expect(written >= Self.messages / Self.bound)
            let steps = zip(done.dropFirst(), done).map { $0 - $1 }
            #expect(steps.allSatisfy { $0 <= Self.bound }, "\(steps)")
            #expect(ending.contains("\"erased\":\(planned ?? -1),"), "\(ending.prefix(300))")
            #expect(planned ?? 0 > Self.messages)
            let rows = try await place.rows()
            let isGone = !rows.contains { $0.contains(subject) }
            #expect(isGone)
            // All the others' rows are as they were, but for what was written meanwhile.
            let unwritten = neighbours.filter { !$0.hasPrefix("\(place.table("users"))|") }
            let areSame = unwritten.isSubset(of: rows) && rows.count == neighbours.count
            #expect(areSame, "a neighbour's row was changed")
        }
    }
}
