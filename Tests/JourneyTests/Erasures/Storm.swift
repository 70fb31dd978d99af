// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging
import NIOHTTP1
import Testing

/// The faults of workers and their database during erasures.
struct Storm: Sendable {
    let place: ErasurePlace
    let fleet: WorkerFleet
    let server: OwnServer
    let leaving: Int
    private let counts = Guarded(Seen())
    private let stopped = Guarded<Int32?>(nil)

    struct Seen: Sendable, CustomStringConvertible {
        var kills = 0
        var stops = 0
        var restarts = 0
        var description: String { "\(kills) kills, \(stops) stopped past the lease, \(restarts) restarts" }
    }

    init(place: ErasurePlace, fleet: WorkerFleet, server: OwnServer, leaving: Int) {
        self.place = place
        self.fleet = fleet
        self.server = server
        self.leaving = leaving
    }

    var seen: Seen { counts.withLock { $0 } }

    /// How many have left; while the database is away, as many as are needed for nothing.
    func done() async throws -> Int {
        let rows = try? await place.query("SELECT count(*) FROM farewell.erasures WHERE state = 'done'")
        return Int(rows?[0][0].integer ?? 0)
    }

    /// Runs everything until all are erased; if that fails, it reports the state.
    func rage(_ begin: (inout ThrowingTaskGroup<Void, any Error>) -> Void) async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                begin(&group)
                try await group.waitForAll()
            }
            try await untilDone(leaving)
        } catch {
            Issue.record("\(await standing())")
            throw error
        }
    }

    private func standing() async -> String {
        let questions = [
            "SELECT concat_ws(' | ', state, count(*), max(attempts), string_agg(DISTINCT owner, ' '), "
                + "string_agg(DISTINCT cause, ' '), max(lease_until), now()) "
                + "FROM farewell.erasures GROUP BY state",
            "SELECT concat_ws(' | ', to_jsonb(e)::text, to_jsonb(r)::text) FROM farewell.erasures AS e "
                + "LEFT JOIN farewell.requests AS r ON r.erasure = e.id WHERE e.state <> 'done' LIMIT 3",
            "SELECT concat_ws(' | ', pid, application_name, state, wait_event, "
                + "now() - xact_start, now() - state_change, pg_blocking_pids(pid)::text, left(query, 100)) FROM pg_stat_activity "
                + "WHERE backend_type = 'client backend'",
        ]
        var lines = ["\(seen); working: \(fleet.working), stopped: \(stopped.withLock { $0 }.map(String.init) ?? "none")"]
        for question in questions {
            do {
                lines += try await place.query(question).compactMap { $0.first?.text }
            } catch {
                lines.append("\(error)")
            }
        }
        // Servers and workers write into one log; that calls were answered is of no use here.
        let told = (try? String(contentsOf: place.place.log, encoding: .utf8)) ?? ""
        lines += told.split(separator: "\n").filter { !$0.contains(" info ") }.suffix(60).map(String.init)
        return lines.joined(separator: "\n")
    }

    /// Returns when so many are erased; at least one must be every two minutes.
    func untilDone(_ wanted: Int) async throws {
        while true {
            let before = try await done()
            guard before < wanted else { return }
            try await eventually { try await done() > before }
        }
    }

    /// Kills the worker that has worked the longest, and every fifth time all of them, every two seconds. On a slow
    /// machine it waits until one in a hundred users has left since the last kill, so there are a hundred kills at most.
    func kill() async throws {
        let clock = ContinuousClock()
        while try await done() < leaving {
            let before = try await done()
            try await clock.sleep(for: .seconds(2))
            try await untilDone(min(before + max(leaving / 100, 1), leaving))
            guard try await done() < leaving else { return }
            let sleeper = stopped.withLock { $0 }
            let all = fleet.working.filter { $0 != sleeper }
            let victims = seen.kills % 5 == 4 ? all : Array(all.prefix(1))
            for process in victims { Foundation.kill(process, SIGKILL) }
            guard !victims.isEmpty else { continue }
            counts.withLock { $0.kills += 1 }
            try await eventually { !fleet.working.contains { victims.contains($0) } }
        }
    }

    /// Ends PostgreSQL as a loss of power would, in the middle.
    func restart(_ times: Int) async throws {
        for time in 1...times {
            try await untilDone(leaving * time / (times + 2))
            try await server.restart()
            counts.withLock { $0.restarts += 1 }
        }
    }

    /// Stops a busy worker until others have taken all its erasures; then lets it continue.
    func stopPastLease() async throws {
        try await eventually { try await done() > 0 }
        while seen.stops == 0, try await done() < leaving {
            guard let process = fleet.working.last, Foundation.kill(process, SIGSTOP) == 0 else { continue }
            let held = try await held(by: process)
            if let held, !held.isEmpty {
                stopped.withLock { $0 = process }
                try await eventually { try await self.held(by: process)?.isDisjoint(with: held) == true }
                counts.withLock { $0.stops += 1 }
            }
            Foundation.kill(process, SIGCONT)
            stopped.withLock { $0 = nil }
        }
    }

    /// The erasures of a process: `id/epoch`; `nil` while the database is away.
    private func held(by process: Int32) async throws -> Set<String>? {
        let query = """
            SELECT id::text || '/' || epoch::text FROM farewell.erasures \
            WHERE state IN ('fenced', 'running', 'verifying') AND owner LIKE '%:\(process):%'
            """
        guard let rows = try? await place.query(query) else { return nil }
        return Set(rows.compactMap { $0.first?.text })
    }
}

extension ErasurePlace {
    /// The engine over the app's people, as a command would open it.
    func openEngine() async throws -> (any SQLDatabase, ErasureEngine) {
        let database = try openDatabase(place.address)
        let path = place.folder.appendingPathComponent("plan.yaml").path
        let engine = try await ErasureEngine.open(
            database, plan: try PlanFile.load(path: path), folder: place.folder.path, state: place.state.path,
            environment: .live(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        return (database, engine)
    }

    /// The plan's counts of the app's rows of some subjects, by their keyed hash.
    func planned(_ indexes: Range<Int>) async throws -> [String: [String: Int]] {
        let (database, engine) = try await openEngine()
        var planned: [String: [String: Int]] = [:]
        for index in indexes {
            let preview = try await engine.preview(key(index))
            let places = preview.places.filter { $0.count > 0 && !$0.place.hasPrefix("auth.") }
            planned[try engine.subjectHash(of: key(index)).rawValue] = Dictionary(
                places.map { ($0.place, $0.count) }, uniquingKeysWith: +)
        }
        await database.close()
        return planned
    }

    /// Each of the planned subjects has one erasure, done, one receipt with the planned counts, one entry in ledger and audit log; no
    /// worker holds any of them.
    func expectOnce(_ planned: [String: [String: Int]]) async throws {
        let (database, engine) = try await openEngine()
        let statuses = try await engine.statuses(limit: planned.count * 2)
        #expect(statuses.count == planned.count)
        #expect(statuses.allSatisfy { $0.erasure.state == .done })
        #expect(Set(statuses.map(\.erasure.subjectHash)).count == planned.count)
        var told: [String: [String: Int]] = [:]
        for status in statuses {
            let receipt = try await engine.openReceipt(of: status.erasure.id)
            let places = receipt.steps.flatMap(\.places).filter { $0.erased > 0 && !$0.place.hasPrefix("auth.") }
            told[status.erasure.subjectHash] = Dictionary(places.map { ($0.place, $0.erased) }, uniquingKeysWith: +)
            #expect(receipt.isComplete)
        }
        #expect(told == planned)
        _ = try await engine.verifyAudit()
        await database.close()
        let leaving = Int64(planned.count)
        for (act, count) in [("erasure.accepted", leaving), ("erasure.done", leaving), ("erasure.parked", 0)] {
            let found = try await query("SELECT count(*) FROM farewell.audit WHERE entry LIKE '%\"\(act)\"%'")
            #expect(found == [[.integer(count)]], "\(act)")
        }
        #expect(try await query("SELECT count(*) FROM farewell.ledger") == [[.integer(leaving)]])
        #expect(try await query("SELECT count(*) FROM farewell.erasures WHERE owner IS NOT NULL") == [[.integer(0)]])
    }

    /// A token of one of the app's people; `nil` when the server does not answer well.
    func token(_ index: Int, _ server: RunningServer) async throws -> String? {
        let given = try await server.ask(
            .PUT, "/auth/v1/admin/users/\(key(index))", token: server.serviceKey(),
            json: #"{"password":"\#(SignedIn.password)","email_confirm":true}"#)
        guard given.status == 200, let email = given.json["email"] as? String else { return nil }
        let answer = try await server.ask(
            .POST, "/auth/v1/token?grant_type=password",
            json: #"{"email":"\#(email)","password":"\#(SignedIn.password)"}"#)
        return answer.json["access_token"] as? String
    }
}
