// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellServer
import Foundation
import Testing

@Suite("Log lines before their output")
struct LogLinesTests {
    private let written = Guarded<[String]>([])

    private func lines(most: Int = 1 << 20, then: @escaping @Sendable () -> Void = {}) -> LogLines {
        LogLines(most: most) { [written] bytes in
            written.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            then()
        }
    }

    @Test("a flush writes all lines, each once, and the lines of one task in order")
    func order() async {
        let lines = lines()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for number in 0..<500 { lines.add("\(task) \(number)\n") } }
            }
        }
        lines.flush()
        let all = written.withLock { $0.joined() }.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(all.count == 4_000)
        for task in 0..<8 {
            #expect(all.filter { $0[0] == "\(task)" }.map { Int($0[1]) } == Array(0..<500))
        }
    }

    @Test("lines added during a write are written together, and no caller waits for them")
    func together() {
        let later = Guarded(["b\n", "c\n", "d\n"])
        let lines = Guarded<LogLines?>(nil)
        let made = self.lines {
            // Added by the writer itself: waiting for it would be a deadlock.
            let more = later.withLock { later in
                defer { later = [] }
                return later
            }
            for line in more { lines.withLock { $0 }?.add(line) }
        }
        lines.withLock { $0 = made }
        made.add("a\n")
        made.flush()
        #expect(written.withLock { $0 } == ["a\n", "b\nc\nd\n"])
    }

    @Test("a line is written without a flush", .timeLimit(.minutes(30)))
    func alone() async throws {
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let lines = lines { arrival.yield() }
        lines.add("a\n")
        var arrivals = arrived.makeAsyncIterator()
        await arrivals.next()
        #expect(written.withLock { $0 } == ["a\n"])
    }

    @Test("a caller that adds more than the limit returns once the line is written")
    func full() {
        let lines = lines(most: 10)
        for number in 0..<200 {
            lines.add("\(number) more than ten bytes\n")
            #expect(written.withLock { $0.joined() }.hasSuffix("\(number) more than ten bytes\n"))
        }
    }
}
