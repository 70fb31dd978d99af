// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("A full disk, and a server that is restarted")
struct CommandDiskTests {
    /// Reviews of the person who leaves: they stay and lose their author, for which both databases need room.
    private static let reviews = 22_000

    private func addReviews(to place: CommandPlace, of subject: String) async throws {
        let users = "\(place.table("auth_users")) (id)"
        let type = place.dialect == .postgresql ? "uuid" : "text"
        for statement in [
            """
            CREATE TABLE \(place.table("reviews")) (id integer PRIMARY KEY, words text,
                user_id \(type) REFERENCES \(users) ON DELETE SET NULL)
            """,
            "CREATE INDEX reviews_of ON \(place.table("reviews")) (user_id)",
            """
            INSERT INTO \(place.table("reviews"))
            WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < \(Self.reviews))
            SELECT n, 'What I liked most was the way in which it was said, number ' || n, '\(subject)' FROM series
            """,
        ] { _ = try await place.query(statement) }
    }

    @Test(
        "BX-4 a full disk gives an error that says so, leaves nothing half done, and once there is space --resume completes it",
        arguments: SQLDialect.allCases)
    func full(_ dialect: SQLDialect) async throws {
        try await SmallDisk.with(megabytes: 64) { disk in
            try await OwnServer.with(for: dialect) { server in
                try await CommandPlace.with(dialect, people: 4, isPlanned: false, on: .disk(disk, server)) { place in
                    let subject = place.people.subjectKey(at: 0)
                    try await addReviews(to: place, of: subject)
                    try await place.writePlan()
                    let before = try await place.rows()
                    let neighbours = Set(before.filter { !$0.contains(subject) })

                    try disk.fill(leaving: 0)
                    let refused = try await place.farewell("erase", "--subject", subject, "--yes")
                    #expect(refused.status == 75 && refused.errors.contains("disk"), "\(refused)")
                    #expect(!refused.description.contains(subject))
                    try disk.makeRoom()
                    #expect(try await place.rows() == before)
                    #expect(try await place.farewell("status", "--json").output == "[]\n")

                    let cut = try await place.inTheMiddle(of: ["erase", "--subject", subject, "--yes", "--json"]) { _ in
                        try disk.fill(leaving: 0)
                    }
                    #expect(cut == 75)
                    // A PostgreSQL without any room may refuse new connections, with words of its own.
                    let full = try await place.farewell("erase", "--resume")
                    #expect(full.status != 0 && !full.description.contains(subject), "\(full)")

                    try disk.makeRoom()
                    let open = try await place.farewell("status", "--open", "--json")
                    #expect(open.output.contains("running"), "\(open)")
                    let resumed = try await place.farewell("erase", "--resume", "--deep")
                    #expect(resumed.status == 0, "\(resumed)")
                    try await expectGone(subject, from: place, leaving: neighbours)
                    let nameless = try await place.query("SELECT count(*) FROM \(place.table("reviews")) WHERE user_id IS NULL")
                    #expect(nameless == [[.integer(Int64(Self.reviews))]])
                }
            }
        }
    }

    @Test("a full state directory gives an error before and after, and once there is space --resume completes it")
    func fullState() async throws {
        try await SmallDisk.with(megabytes: 4) { disk in
            try await CommandPlace.with(.sqlite) { place in
                let before = try await place.rows()
                let neighbours = Set(before.filter { !$0.contains(place.person) })
                let arguments = ["--state", disk.folder.appendingPathComponent("state").path]
                let erase = ["erase", "--subject", place.person, "--yes"] + arguments
                try disk.fill(leaving: 0)
                let refused = try await place.call(erase)
                #expect(refused.status == 75 && refused.errors.contains("no space is left"), "\(refused)")
                #expect(try await place.rows() == before)
                // Room for the keys, and none for the ledger.
                try disk.fill(leaving: 4_096)
                let unfinished = try await place.call(erase)
                #expect(unfinished.status == 75 && unfinished.output.contains("The ledger cannot be written"), "\(unfinished)")
                #expect(try await place.rows() == before, "nothing is deleted that the ledger cannot record")
                try disk.makeRoom()
                let resumed = try await place.call(["erase", "--resume"] + arguments)
                #expect(resumed.status == 0, "\(resumed)")
                try await expectGone(place.person, from: place, leaving: neighbours, resuming: arguments)
            }
        }
    }

    @Test("DX-3 a disk without room for a plan or a picture is a temporary error that says so, and leaves no part of a file")
    func fullFolder() async throws {
        try await SmallDisk.with(megabytes: 4) { disk in
            try await CommandPlace.with(.sqlite, people: 1) { place in
                let plan = disk.folder.appendingPathComponent("farewell.yaml")
                try FileManager.default.copyItem(at: place.plan, to: plan)
                let before = try Data(contentsOf: plan)
                try disk.fill(leaving: 0)
                let files = try FileManager.default.contentsOfDirectory(atPath: disk.folder.path).sorted()
                let other = disk.folder.appendingPathComponent("other.yaml").path
                let picture = disk.folder.appendingPathComponent("plan.svg").path
                for words in [
                    ["plan", "--format", "svg", "--output", picture], ["init", "--subject", "auth_users.id", "--plan", other],
                    ["init", "--subject", "auth_users.id", "--plan", plan.path, "--force"],
                ] {
                    let end = try await place.call(words)
                    #expect(end.status == 75 && end.errors.contains("no space is left"), "\(words): \(end)")
                    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder.path).sorted() == files)
                    #expect(try Data(contentsOf: plan) == before)
                }
            }
        }
    }

    @Test("BX-4 a sudden restart of PostgreSQL during an erasure is reported, and --resume completes it")
    func restarted() async throws {
        try await OwnServer.with { server in
            // Nothing reaches the disk by itself: what a commit does not wait for is lost.
            for statement in ["ALTER SYSTEM SET wal_writer_delay = '10s'", "SELECT pg_reload_conf()"] {
                try await TestServer.run(statement, at: server.address)
            }
            try await CommandPlace.with(.postgresql, people: 4, messagesOfOne: 22_000, on: .server(server)) { place in
                let subject = place.people.subjectKey(at: 0)
                let neighbours = Set(try await place.rows().filter { !$0.contains(subject) })
                let cut = try await place.inTheMiddle(of: ["erase", "--subject", subject, "--yes", "--json"]) { _ in
                    try await server.restart()
                }
                #expect(cut == 75)
                let open = try await place.farewell("status", "--open", "--json")
                #expect(open.output.contains("running"), "\(open)")
                let resumed = try await place.farewell("erase", "--resume", "--deep")
                #expect(resumed.status == 0, "\(resumed)")
                try await expectGone(subject, from: place, leaving: neighbours)
            }
        }
    }

    /// All data of the subject is gone, and all rows of other subjects are unchanged.
    private func expectGone(
        _ subject: String, from place: CommandPlace, leaving neighbours: Set<String>, resuming arguments: [String] = []
    ) async throws {
        let rows = try await place.rows()
        let isGone = !rows.contains { $0.contains(subject) }
        #expect(isGone)
        let areSame = neighbours.isSubset(of: rows)
        #expect(areSame, "a neighbour's row was changed")
        #expect(try await place.farewell("verify", "--audit").status == 0)
        #expect(try await place.call(["erase", "--resume"] + arguments).output.contains("No unfinished erasures"))
    }
}
