// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Many simultaneous requests for one deletion", .serialized)
struct ErasureOnceTests {
    private static let times = 64
    private static let keys = 8

    @Test(
        "BX-4 P4 Item 39: 64 simultaneous deletions, each over its own connection, are one erasure with one receipt",
        arguments: SQLDialect.allCases)
    func once(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 4) { place in
            let neighbours = try await place.rows(without: [1])
            #expect(try await place.count(1) > 0)
            try await place.place.serving(place.settings()) { server in
                let mine = try await place.signIn(1, server)
                let answers = try await Self.together(mine, server)
                #expect(answers.count == Self.times)
                #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.first { $0.status != 200 }?.description ?? "")")
                #expect(Set(answers.compactMap { $0.json["id"] as? String }).count == 1)
                let id = try #require(answers.first?.json["id"] as? String)
                let tickets = Set(answers.compactMap { $0.json["ticket"] as? String })
                #expect(tickets.count == Self.keys)
                var receipts: Set<String> = []
                for ticket in tickets {
                    let receipt = try await server.ask(.GET, "/v1/erasures/\(id)/receipt", headers: ["X-Farewell-Ticket": ticket])
                    #expect(receipt.status == 200, "\(receipt)")
                    receipts.insert(receipt.text)
                }
                #expect(receipts.count == 1, "\(receipts)")
                #expect(try await !server.isAccepted(mine.access))
            }
            let found = try await place.query("SELECT count(*), count(DISTINCT receipt) FROM \(place.control)erasures")
            #expect(found == [[.integer(1), .integer(1)]])
            #expect(try await place.query("SELECT count(*) FROM \(place.control)ledger") == [[.integer(1)]])
            for act in ["erasure.accepted", "erasure.done"] {
                let entries = try await place.query("SELECT count(*) FROM \(place.control)audit WHERE entry LIKE '%\"\(act)\"%'")
                #expect(entries == [[.integer(1)]], "\(act)")
            }
            #expect(try await place.rows(without: []) == neighbours)
        }
    }

    /// Asks so many times at once, under a few keys, over as many connections.
    private static func together(_ person: SignedIn, _ server: RunningServer) async throws -> [ServerAnswer] {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = times
        let client = HTTPClient(configuration: configuration)
        do {
            let answers = try await withThrowingTaskGroup(of: ServerAnswer.self) { group in
                for number in 0..<times {
                    group.addTask {
                        try await server.ask(
                            .POST, "/v1/erasures", token: person.access,
                            headers: ["Idempotency-Key": "k\(number % keys)", "Prefer": "wait=180"], by: client)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await client.shutdown()
            return answers
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
