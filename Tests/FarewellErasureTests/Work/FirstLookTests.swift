// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The first look at a subject")
struct FirstLookTests {
    /// The data of a subject, which a group reads in another order.
    private static func seen(_ subject: SealedSubject?) -> [String] {
        guard let subject else { return [] }
        let captured = subject.captured.mapValues { $0.map { "\($0)" }.sorted() }.sorted { $0.key < $1.key }
        let counts = subject.counts.sorted { $0.key < $1.key }
        return ["\(subject.key) \(counts) \(captured) \(subject.isCaptureBounded)"] + subject.identifiers.sorted()
    }

    @Test(
        "P1 simultaneous requests are looked up by the statements of one, and each learns what it learns alone",
        arguments: SQLDialect.allCases)
    func joint(dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect, people: 6) { place in
            let asked = ErasureRequest(idempotencyKey: "key")
            _ = try await place.requests().request("2", asked)
            await place.workers().batch { _ in }.carryOut(try #require(await place.workers().claimed()))
            _ = try await place.requests().request("1", asked)
            let sent = Guarded<[Int]>([])
            let watched = WatchedDatabase(place.fixture.database) { statements, _ in
                sent.withLock { $0.append(statements.count) }
                return statements
            }
            let look = FirstLook(engine: place.engine.on(watched), depth: .recognised)
            // A live one, an ended one, two of one subject, one without data, one without a key.
            let questions = try ["1", "2", "3", "3", "99", "4"].enumerated().map { place, subject in
                let hash = try look.engine.subjectHash(of: subject)
                let request = place == 5 ? ErasureRequest() : asked
                return FirstLook.Question(
                    key: try SubjectResolver(prepared: look.engine.prepared).key(subject), hash: hash.rawValue,
                    keyHash: request.keyHash(of: hash))
            }
            let together = try await look.answers(to: questions)
            let jointly = sent.withLock { $0 }
            var alone: [FirstLook.Answer] = []
            for question in questions { alone += try await look.answers(to: [question]) }
            #expect(together.map(\.ended) == [0, 1, 0, 0, 0, 0] && alone.map(\.ended) == [0, 1, 0, 0, 0, 0])
            #expect(together.map { $0.handed != nil } == [true, true, false, false, false, false])
            #expect(together.map(\.handed) == alone.map(\.handed) && together.map(\.records) == alone.map(\.records))
            #expect(together.map { $0.records.map(\.state) } == [[.requested], [.done], [], [], [], []])
            #expect(together.map { Self.seen($0.subject) } == alone.map { Self.seen($0.subject) })
            if dialect == .postgresql {
                #expect(together.map { $0.subject != nil } == [true, false, true, true, false, true])
                let single = try #require(sent.withLock { $0.dropFirst(jointly.count).first })
                #expect(jointly.count == 1 && jointly[0] < 2 * single, "five subjects, the statements of one")
            }
        }
    }

    @Test("P1 simultaneous first looks use indexes, even if they were planned while there were few erasures")
    func byIndex() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            let requests = place.engine.control.requests
            for statement in [requests.find(subjectHashes: ["a", "b"]).statement, requests.issued(keyHashes: ["a"]).statement] {
                let plan = try await place.fixture.database.withConnection { connection in
                    try await connection.run(SQLStatement("EXPLAIN \(statement.text)", statement.parameters)).rows
                        .compactMap { $0.first?.text }.joined(separator: "\n")
                }
                #expect(plan.contains("Index Scan") && !plan.contains("Seq Scan"), "\(plan)")
            }
        }
    }
}
