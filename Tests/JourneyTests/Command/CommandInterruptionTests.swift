// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("Interruption midway, and two simultaneous runs")
struct CommandInterruptionTests {
    /// One person with so many rows that an erasure has a middle.
    private static let messages = 22_000

    /// A place where every deleted message takes a while, so that pieces stay small and a signal is heard before the last.
    private func withSlowDeletes(_ dialect: SQLDialect, _ use: (CommandPlace) async throws -> Void) async throws {
        try await CommandPlace.with(dialect, people: 4, messagesOfOne: Self.messages, isPlanned: false) { place in
            for statement in dialect == .sqlite ? [Self.sqliteTrigger] : Self.postgreSQLTrigger {
                _ = try await place.query(statement)
            }
            try await place.writePlan()
            try await use(place)
        }
    }

    private static let sqliteTrigger = """
        CREATE TRIGGER slow BEFORE DELETE ON messages BEGIN SELECT count(*) FROM \
        (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 300) SELECT n FROM c); END
        """
    private static let postgreSQLTrigger = [
        """
        CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM count(*) FROM generate_series(1, 1500); RETURN OLD; END $$
        """,
        "CREATE TRIGGER slow BEFORE DELETE ON public.messages FOR EACH ROW EXECUTE FUNCTION public.slow()",
    ]

    @Test("Ctrl-C midway stops cleanly with 130, and --resume finishes", arguments: SQLDialect.allCases)
    func controlC(_ dialect: SQLDialect) async throws {
        try await withSlowDeletes(dialect) { place in
            let subject = place.people.subjectKey(at: 0)
            let neighbours = try await place.rows().filter { !$0.contains(subject) }
            let status = try await place.inTheMiddle(of: ["erase", "--subject", subject, "--yes", "--json"]) {
                execution in
                try execution.send(signal: .interrupt)
            }
            #expect(status == 130)
            let left = try await place.rows().count
            #expect(left > neighbours.count, "it was not the middle")
            let open = try await place.farewell("status", "--open", "--json")
            #expect(open.output.contains("running"), "\(open)")
            let told = try await place.farewell("status")
            let words = told.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("no active worker"), "\(told)")
            let resumed = try await place.farewell("erase", "--resume", "--json")
            #expect(resumed.status == 0, "\(resumed)")
            let rows = try await place.rows()
            let isGone = !rows.contains { $0.contains(subject) }
            #expect(isGone)
            let areSame = Set(rows) == Set(neighbours)
            #expect(areSame, "a neighbour's row was changed")
            #expect(try await place.farewell("erase", "--resume").output.contains("No unfinished erasures"))
        }
    }

    /// How many wait for the lock.
    private static let waiting = """
        SELECT count(*) FROM pg_locks WHERE relation = 'public.messages'::regclass AND NOT granted \
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    @Test("Ctrl-C before the acceptance of a subject says so, and every subject can be requested again")
    func beforeAcceptance() async throws {
        try await CommandPlace.with(.postgresql) { place in
            let before = try await place.rows()
            let database = try openDatabase(place.address)
            let (status, words) = try await database.withConnection { connection in
                try await connection.run("BEGIN")
                try await connection.run("LOCK TABLE public.messages IN SHARE MODE")
                let end = try await place.ended(["erase", "--subject", place.person, "--yes"]) { execution in
                    try await eventually { try await place.query(Self.waiting) != [[.integer(0)]] }
                    try execution.send(signal: .interrupt)
                }
                try await connection.run("ROLLBACK")
                return end
            }
            await database.close()
            #expect(status == 130 && words.contains("No erasure was accepted"), "\(words)")
            #expect(!words.contains("--resume"), "\(words)")
            #expect(try await place.rows() == before)
            #expect(try await place.farewell("erase", "--resume").output.contains("No unfinished erasures"))
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
        }
    }

    @Test("a server that cuts every connection midway leaves a run that continues or is resumed")
    func connectionsCut() async throws {
        try await CommandPlace.with(.postgresql, people: 4, messagesOfOne: Self.messages) { place in
            let subject = place.people.subjectKey(at: 0)
            let neighbours = try await place.rows().filter { !$0.contains(subject) }
            let status = try await place.inTheMiddle(of: ["erase", "--subject", subject, "--yes", "--json"]) { _ in
                let cut = try await place.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
                #expect(!cut.isEmpty)
            }
            // Cut between two chunks it may continue automatically; either way the erasure completes.
            #expect(status == 75 || status == 0)
            #expect(try await place.farewell("erase", "--resume").status == 0)
            let areSame = Set(try await place.rows()) == Set(neighbours)
            #expect(areSame, "the person is left, or a neighbour's row was changed")
        }
    }

    @Test("of two simultaneous runs for one subject, the second names the place where it continues", arguments: SQLDialect.allCases)
    func twoAtOnce(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 4, messagesOfOne: Self.messages) { place in
            let subject = place.people.subjectKey(at: 0)
            let status = try await place.inTheMiddle(of: ["erase", "--subject", subject, "--yes", "--json"]) { _ in
                let second = try await place.farewell("erase", "--subject", subject, "--yes")
                #expect(second.status == 4 && second.output.contains("is already erasing this subject"), "\(second)")
                #expect(!second.description.contains(subject))
            }
            #expect(status == 0)
            let isGone = try await place.rows().allSatisfy { !$0.contains(subject) }
            #expect(isGone)
            #expect(
                try await place.farewell("status", "--json").output.components(separatedBy: "\"erasure\"").count == 2)
        }
    }
}
