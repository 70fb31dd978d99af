// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Subprocess
import SystemPackage
import Testing

@Suite("The command after a real restore")
struct CommandRestoreTests {
    /// When the back-up was made, and with it what the restored database knows of erasures.
    enum BackUp: String, Sendable, CaseIterable {
        /// Before any. PostgreSQL's is restored over the database, whose control store remembers more than its tables.
        case beforeAll
        /// Between two. PostgreSQL's is restored into a new database, whose control store has forgotten the second.
        case betweenTwo
    }

    @Test(
        "BX-7 the command erases again each subject that pg_restore, or a copied file, brings back, and touches no other user",
        arguments: SQLDialect.allCases, BackUp.allCases)
    func restored(_ dialect: SQLDialect, _ moment: BackUp) async throws {
        try await CommandPlace.with(dialect) { place in
            if moment == .betweenTwo {
                #expect(try await place.farewell("erase", "--subject", place.neighbour, "--yes").status == 0)
            }
            let before = try await place.exactRows()
            try await place.backUp()
            let erased = try await place.farewell("erase", "--subject", place.person, "--yes")
            #expect(erased.status == 0, "\(erased)")
            let after = try await place.exactRows()
            let areNeighboursSame = after.isStrictSubset(of: before)
            #expect(areNeighboursSame)
            #expect(try await place.rows().allSatisfy { !$0.contains(place.person) })
            let nobody = try await place.farewell("reerase", "--dry-run")
            #expect(nobody.status == 0, "\(nobody)")

            try await place.restore(anew: moment == .betweenTwo)
            let isBack = try await place.exactRows() == before
            #expect(isBack, "the restore brought everything back")
            let found = try await place.farewell("reerase", "--dry-run", "--json")
            #expect(found.status == 1 && found.objects.first?["certain"] as? [String] == [place.person], "\(found)")
            let isUntouched = try await place.exactRows() == before
            #expect(isUntouched, "looking changed nothing")
            let again = try await place.farewell("reerase", "--yes")
            #expect(again.status == 0, "\(again)")
            let isAsErased = try await place.exactRows() == after
            #expect(isAsErased, "the subject's rows are deleted, and no other user's were changed")
            #expect(try await place.farewell("verify", "--subject", place.person, "--deep").status == 0)
            #expect(try await place.farewell("reerase", "--dry-run").status == 0)
        }
    }
}

extension CommandPlace {
    private var backUpFile: URL { folder.appendingPathComponent("back-up") }

    /// Every row that is not Farewell's own with its table's name, value by value.
    fileprivate func exactRows() async throws -> Set<[SQLValue]> {
        var found: Set<[SQLValue]> = []
        let database = try openDatabase(address)
        for table in try await Schema.read(from: database).tables {
            let name = dialect.qualified(table.name)
            let result = try await database.withConnection { try await $0.run(SQLStatement("SELECT * FROM \(name)")) }
            found.formUnion(result.rows.map { [SQLValue.text("\(table.name)")] + $0 })
        }
        await database.close()
        return found
    }

    fileprivate func backUp() async throws {
        if dialect == .sqlite {
            _ = try await query("VACUUM INTO '\(backUpFile.path)'")
        } else {
            try await client(["pg_dump", "--format=custom", "--file=\(backUpFile.path)", address])
        }
    }

    /// - Parameter anew: Whether the database is made anew, with nothing in it; otherwise its tables are replaced.
    fileprivate func restore(anew: Bool) async throws {
        guard dialect == .postgresql else {
            for file in [sqlite.path, sqlite.path + "-wal", sqlite.path + "-shm"] {
                try? FileManager.default.removeItem(atPath: file)
            }
            return try FileManager.default.copyItem(at: backUpFile, to: sqlite)
        }
        let into = anew ? ["--create", "--dbname=\(try TestServer.address())"] : ["--dbname=\(address)"]
        try await client(["pg_restore", "--exit-on-error", "--clean", "--if-exists"] + into + [backUpFile.path])
    }

    /// Calls a program of PostgreSQL, of the same version as the server.
    private func client(_ arguments: [String]) async throws {
        let result = try await Subprocess.run(
            .path(FilePath(Python.root + "/Scripts/postgres")), arguments: .init(["client"] + arguments),
            output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
        let name = arguments[0]
        try #require(result.terminationStatus.isSuccess, "\(name): \(result.standardError)")
    }
}
