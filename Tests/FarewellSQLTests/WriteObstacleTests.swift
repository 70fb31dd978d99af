// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellSQL
import Foundation
import GRDB
import Testing

/// Whether a database takes writes is found out without one.
struct WriteObstacleTests {
    @Test("OP-5 a standby, read-only transactions, a read-only or full volume and a file without rights give different causes")
    func decisions() {
        #expect(WriteObstacle.of(inRecovery: false, isReadOnly: false) == nil)
        #expect(WriteObstacle.of(inRecovery: true, isReadOnly: true) == WriteObstacle.standby)
        #expect(WriteObstacle.of(inRecovery: false, isReadOnly: true) == WriteObstacle.readOnly)
        let roomy = DiskVolume(isReadOnly: false, freeBytes: 1 << 30)
        #expect(WriteObstacle.of(roomy, isWritable: true) == nil && WriteObstacle.of(nil, isWritable: true) == nil)
        #expect(WriteObstacle.of(roomy, isWritable: false) == WriteObstacle.readOnlyFile)
        let full = DiskVolume(isReadOnly: false, freeBytes: DiskVolume.least - 1)
        #expect(WriteObstacle.of(full, isWritable: true) == WriteObstacle.diskFull)
        let mounted = DiskVolume(isReadOnly: true, freeBytes: 0)
        #expect(WriteObstacle.of(mounted, isWritable: true) == WriteObstacle.readOnlyVolume)
    }

    @Test("OP-5 a refusal for lack of space counts for half a minute; other errors do not count")
    func memory() {
        let refused = RefusedWrites()
        let start = ContinuousClock.now
        refused.note(FarewellError("sql.23505", .yoursToFix, "A key."), at: start)
        #expect(refused.recent(at: start) == nil)
        refused.note(FarewellError("sql.53100", .tryAgain, "could not extend file /secret"), at: start)
        #expect(refused.recent(at: start.advanced(by: .seconds(30))) == WriteObstacle.diskFull)
        #expect(refused.recent(at: start.advanced(by: .seconds(31))) == nil)
        refused.note(Self.failure(.SQLITE_IOERR_READ), at: start.advanced(by: .seconds(40)))
        refused.note(FarewellError("sql.58030", .tryAgain, "could not read block 7"), at: start.advanced(by: .seconds(40)))
        #expect(refused.recent(at: start.advanced(by: .seconds(41))) == nil, "a damaged page refuses no write")
        for code in [ResultCode.SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_TRUNCATE] {
            let refused = RefusedWrites()
            refused.note(Self.failure(code), at: start)
            #expect(refused.recent(at: start) == WriteObstacle.diskFails)
        }
    }

    @Test("a journal that another program left is not a file without rights, and the remedy ends it")
    func leftJournal() {
        for code in [ResultCode.SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY] {
            let error = Self.failure(code)
            #expect(error.code == "sql.25006" && error.message.contains("journal"), "\(error)")
            #expect(error.remedy?.contains("undoes the unfinished change") == true, "\(error)")
        }
        #expect(Self.failure(.SQLITE_READONLY).message == "The SQLite file is read-only.")
    }

    private static func failure(_ code: ResultCode) -> FarewellError {
        SQLiteFailure(DatabaseError(resultCode: code)).error
    }

    @Test("OP-5 a writable database has no obstacle; one whose file cannot grow has one after the refused write")
    func sqlite() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("obstacle-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try SQLiteDatabase(
            path: folder.appendingPathComponent("a.sqlite").path,
            configuration: SQLiteConfiguration(access: .createIfMissing, maximumConnections: 1))
        try await database.withConnection { _ = try await $0.run("CREATE TABLE t (a text)") }
        #expect(try await database.writeObstacle() == nil)
        try await database.withConnection { connection in
            let pages = try await connection.run("PRAGMA page_count").scalar?.integer ?? 0
            _ = try await connection.run(SQLStatement("PRAGMA max_page_count = \(pages)"))
        }
        await #expect(throws: FarewellError.self) {
            try await database.withConnection { _ = try await $0.run("INSERT INTO t VALUES (zeroblob(100000))") }
        }
        #expect(try await database.writeObstacle() == WriteObstacle.diskFull)
        await database.close()
    }
}
