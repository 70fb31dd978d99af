// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

@testable import FarewellSQL

@Suite("Waiting for a lock in SQLite")
struct SQLiteLockWaitTests {
    @Test("a waiting caller retries every millisecond, however long it has waited, and stops when its time is over")
    func steps() {
        let pauses = Guarded<[Duration]>([])
        let wait = SQLiteLockWait(timeout: .seconds(2)) { pause in pauses.withLock { $0.append(pause) } }
        let looks = (0..<5_000).prefix { wait.waits(after: $0) }
        #expect(looks.count == 2_000)
        #expect(pauses.withLock { Set($0) } == [.milliseconds(1)])
        #expect(pauses.withLock { $0.reduce(.zero, +) } == .seconds(2))
    }

    @Test("any time limit can be given, even one beyond the representable range")
    func longest() {
        let wait = SQLiteLockWait(timeout: .seconds(Int64.max)) { _ in }
        #expect((0..<5_000).allSatisfy { wait.waits(after: $0) })
    }

    @Test("a time limit of zero means no wait", arguments: [Duration.zero, .microseconds(10), .seconds(-1)])
    func none(timeout: Duration) {
        #expect(!SQLiteLockWait(timeout: timeout) { _ in Issue.record("it waited") }.waits(after: 0))
    }
}
