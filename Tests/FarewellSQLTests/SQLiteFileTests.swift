// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("The permissions of a SQLite file")
struct SQLiteFileTests {
    private static func with(_ use: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "farewell-modes-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await use(folder)
    }

    /// The modes of all files in a folder while a database in it is open and was written to.
    private static func modes(in folder: URL, of path: String) async throws -> [String: Int] {
        let database = try SQLiteDatabase(path: path, configuration: SQLiteConfiguration(access: .createIfMissing))
        return try await database.withConnection { connection in
            _ = try await connection.run("CREATE TABLE IF NOT EXISTS people (id integer PRIMARY KEY, name text)")
            _ = try await connection.run("INSERT INTO people (name) VALUES ('somebody')")
            var modes: [String: Int] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
                guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
                modes[name] = (attributes[.posixPermissions] as? NSNumber)?.intValue
            }
            return modes
        }
    }

    @Test("SRV-06 only the owner can read a new file and SQLite's files beside it")
    func made() async throws {
        try await Self.with { folder in
            let modes = try await Self.modes(in: folder, of: folder.appending(path: "new.sqlite").path)
            #expect(modes == ["new.sqlite": 0o600, "new.sqlite-wal": 0o600, "new.sqlite-shm": 0o600])
        }
    }

    @Test("a pipe or a device in the place of a file is refused at once, and not waited for", .timeLimit(.minutes(1)))
    func otherKind() async throws {
        try await Self.with { folder in
            let pipe = folder.appending(path: "pipe").path
            try #require(mkfifo(pipe, 0o600) == 0)
            let link = folder.appending(path: "link").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "pipe")
            for path in [pipe, link, "/dev/null"] {
                for access in [SQLiteConfiguration.Access.readWrite, .createIfMissing, .readOnly] {
                    let error = #expect(throws: FarewellError.self) {
                        _ = try SQLiteDatabase(path: path, configuration: SQLiteConfiguration(access: access))
                    }
                    #expect(error?.code == "sql.bad-address" && error?.message.contains("a pipe or a device") == true)
                }
            }
            // A file that a pipe replaces while the database is open.
            let path = folder.appending(path: "app.sqlite").path
            let database = try SQLiteDatabase(path: path, configuration: SQLiteConfiguration(access: .createIfMissing))
            try FileManager.default.moveItem(atPath: pipe, toPath: path)
            let error = await #expect(throws: FarewellError.self) {
                _ = try await database.withConnection { try await $0.run("SELECT 1") }
            }
            #expect(error?.code == "sql.bad-address")
            await database.close()
        }
    }

    @Test("SRV-06 an app's existing file keeps its mode, which SQLite also gives to its own files beside it", arguments: [0o644, 0o660])
    func kept(_ mode: Int) async throws {
        try await Self.with { folder in
            let file = folder.appending(path: "app.sqlite")
            try Data().write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let modes = try await Self.modes(in: folder, of: file.path)
            #expect(modes == ["app.sqlite": mode, "app.sqlite-wal": mode, "app.sqlite-shm": mode])
        }
    }

    @Test(
        "SRV-06 where a link leads to a missing file, only the owner can read the new file",
        arguments: ["real.sqlite", "/"])
    func linked(_ target: String) async throws {
        try await Self.with { folder in
            let target = target == "/" ? folder.appending(path: "real.sqlite").path : target
            let link = folder.appending(path: "link.sqlite").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            let modes = try await Self.modes(in: folder, of: link)
            #expect(modes == ["real.sqlite": 0o600, "real.sqlite-wal": 0o600, "real.sqlite-shm": 0o600])
        }
    }
}
