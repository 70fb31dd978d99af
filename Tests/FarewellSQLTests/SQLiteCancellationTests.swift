// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Farewell
@testable import FarewellSQL
import Foundation
import GRDB
import GRDBSQLite
import Testing

@Suite("A cancelled statement of SQLite")
struct SQLiteCancellationTests {
    /// Counts for seconds, not for hours, if nothing interrupts it.
    private static let long = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000000) SELECT count(*) FROM n
        """

    @Test("a statement ends that begins just after the interruption")
    func early() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "farewell-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let connection = try SQLiteConnection(
            path: folder.appending(path: "test.sqlite").path,
            configuration: SQLiteConfiguration(access: .createIfMissing))
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let lease = connection.lend().number
        let task = Task {
            try await connection.perform(lease: lease) { db in
                begin.yield()
                gate.wait()
                // Not by GRDB, which would ask before the statement whether the task is cancelled, and not meanwhile.
                return sqlite3_exec(db.sqliteConnection, Self.long, nil, nil, nil)
            }
        }
        for await _ in begun { break }
        task.cancel()
        gate.signal()
        #expect(try await task.value == SQLITE_INTERRUPT)
        #expect(try await connection.lend().run("SELECT 1").scalar == .integer(1), "the next is not interrupted")
        connection.end()
    }

    @Test("work is interrupted from its begin to its end, however early the cancellation was")
    func phases() async throws {
        let count = Guarded(0)
        let third = DispatchSemaphore(value: 0)
        let interruption = SQLiteInterruption {
            let isThird = count.withLock { count in
                count += 1
                return count == 3
            }
            if isThird { third.signal() }
        }
        interruption.begin()
        #expect(count.withLock(\.self) == 0)
        try await BlockingWork.run { interruption.during { third.wait() } }
        let last = count.withLock(\.self)
        interruption.begin()
        #expect(count.withLock(\.self) == last)
    }
}
