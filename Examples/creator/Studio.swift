// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation
import GRDB

/// The app's data on the device: a cache of pictures, in memory and on the disk, and a database of drafts.
final class Studio: Sendable {
    private let folder: String
    private let database = Guarded<DatabasePool?>(nil)
    private let memory = Guarded<[String: Data]>([:])

    init(_ folder: String) { self.folder = folder }

    private var pictures: String { folder + "/pictures" }
    private var path: String { folder + "/drafts.sqlite" }

    var participants: [any Participant] {
        [
            MemoryParticipant(
                "pictures shown", clear: { self.memory.withLock { $0 = [:] } },
                count: { self.memory.withLock { $0.count } }),
            FolderParticipant("pictures", at: pictures, holds: "pictures seen"),
            DatabaseParticipant(
                "drafts", at: path, holds: "drafts", clears: .onSignOut, after: ["pictures"],
                closing: {
                    try self.database.withLock { pool in
                        try pool?.close()
                        pool = nil
                    }
                }),
        ]
    }

    /// The traces of some use of an app.
    func work() throws {
        try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
        for name in ["1.jpg", "2.jpg"] {
            let picture = Data("of the person, \(name)".utf8)
            try picture.write(to: URL(fileURLWithPath: pictures + "/" + name))
            memory.withLock { $0[name] = picture }
        }
        try opened().write { connection in
            try connection.execute(sql: "CREATE TABLE IF NOT EXISTS drafts (title TEXT NOT NULL, body TEXT NOT NULL)")
            for title in ["first", "second"] {
                try connection.execute(
                    sql: "INSERT INTO drafts (title, body) VALUES (?, ?)", arguments: [title, "of the person"])
            }
        }
    }

    var drafts: Int {
        get throws {
            guard FileManager.default.fileExists(atPath: path) else { return 0 }
            return try opened().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM drafts") ?? 0 }
        }
    }

    private func opened() throws -> DatabasePool {
        try database.withLock { pool in
            let open = try pool ?? DatabasePool(path: path)
            pool = open
            return open
        }
    }
}
