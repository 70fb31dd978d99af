// SPDX-License-Identifier: Apache-2.0

import Eventually
@testable import Farewell
import Testing

@Suite("Requests that gather for a batch")
struct GatheredRequestsTests {
    @Test("P1 a batch that gathers knows how many requests may still join it")
    func room() async throws {
        let rooms = Guarded<[Int]>([])
        let begun = Guarded(0)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let coalescer = RequestCoalescer<Int, Int>(
            concurrency: 1, most: 3, deadline: nil, gathering: { _, room in rooms.withLock { $0.append(room) } },
            together: { requests in
                begun.withLock { $0 += 1 }
                for await _ in gate {}
                return requests.map { $0 * 2 }
            })
        let answers: [Int] = try await withThrowingTaskGroup(of: Int?.self) { group in
            group.addTask { await coalescer.answer(to: 1) }
            try await eventually { begun.withLock { $0 } == 1 }
            for request in 2...6 { group.addTask { await coalescer.answer(to: request) } }
            try await eventually { coalescer.state.withLock { $0.requests.count } == 5 }
            open.finish()
            return try await group.reduce(into: []) { answers, answer in
                if let answer { answers.append(answer) }
            }
        }
        #expect(answers.sorted() == [2, 4, 6, 8, 10, 12])
        #expect(rooms.withLock { $0 } == [2, 0, 1])
    }
}
