// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Keeps every caller until it is opened.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        waiting.forEach { $0.resume() }
        waiting = []
    }
}

@Suite("Receipts are written during the erasure of the next group")
struct AnnouncementTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE INDEX by_author ON posts (author);
        INSERT INTO people SELECT n, n || '@example.org' FROM generate_series(1, 6) AS n;
        INSERT INTO posts SELECT n, n FROM generate_series(1, 6) AS n;
        """

    @Test("OPS-09 the next group is deleted while receipts are written, and committed after they are written", .timeLimit(.minutes(30)))
    func beside() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let gate = Gate()
            let (handed, told) = (Guarded<[Int]>([]), Guarded(0))
            var environment = fixture.environment()
            environment.issued = { receipts in
                await gate.pass()
                handed.withLock { $0.append(receipts.count) }
            }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: try await fixture.plan(), folder: fixture.folder, state: fixture.state,
                lease: 600, environment: environment)
            let work = Task {
                try await engine.erase((1...6).map(String.init), options: ErasureOptions(groupSize: 2)) { progress in
                    guard progress.event == .done else { return }
                    let receipts = handed.withLock { $0.reduce(0, +) }
                    let done = told.withLock { count in
                        count += 1
                        return count
                    }
                    #expect(done <= receipts, "an observer heard of an erasure whose receipt was not handed out")
                }
            }
            // Locked: those of the second group are deleted. No worker commits that, however often it is checked.
            var looks = 0
            while looks < 10 {
                let free = try await fixture.rows("SELECT id FROM people ORDER BY id FOR UPDATE SKIP LOCKED")
                let done = try await fixture.rows("SELECT count(*) FROM farewell.erasures WHERE state = 'done'")
                #expect(done == ["0"] || done == ["2"])
                looks = free == ["5", "6"] ? looks + 1 : 0
            }
            #expect(told.withLock { $0 } == 0)
            await gate.open()
            let outcomes = try await work.value
            #expect(outcomes.compactMap(\.receipt).count == 6)
            #expect(handed.withLock { $0 } == [2, 2, 2] && told.withLock { $0 } == 6)
            #expect(try await fixture.rows("SELECT count(*) FROM posts") == ["0"])
        }
    }
}
