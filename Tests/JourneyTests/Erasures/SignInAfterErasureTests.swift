// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("An erased user cannot sign in")
struct SignInAfterErasureTests {
    private static let places = SQLDialect.allCases.flatMap { dialect in
        AccountPlace.Binding.allCases.map { (dialect, $0) }
    }

    // MARK: By the server

    private static let calls: [(method: HTTPMethod, path: String)] = [
        (.POST, "/v1/erasures"), (.POST, "/functions/v1/delete-account"), (.POST, "/functions/v1/delete-user"),
        (.DELETE, "/me/account"), (.POST, "/rest/v1/rpc/delete_auth_user"),
    ]

    @Test(
        "SV-1 SV-2 SV-3 SE-9 by every route and by the pages: neither password nor refresh token nor code lets an erased user in",
        .timeLimit(.minutes(30)), arguments: places)
    func byServer(_ dialect: SQLDialect, _ binding: AccountPlace.Binding) async throws {
        try await AccountPlace.with(dialect, binding) { place in
            try await place.place.serving(place.settings()) { server in
                let stays = try await place.member(server, notes: 1)
                // Some have an account and nothing of the app's: on each database by every other call.
                for (number, call) in Self.calls.enumerated() {
                    let notes = number.isMultiple(of: 2) == (dialect == .sqlite) ? 2 : nil
                    let mine = try await place.member(server, notes: notes)
                    let done = try await server.ask(
                        call.method, call.path, token: mine.device.access,
                        headers: ["Idempotency-Key": "k", "Prefer": "wait=100"])
                    #expect(done.status == 200 || done.status == 204, "\(call.path) \(notes ?? 0) \(done)")
                    try await place.expectOut(mine, server, call.path)
                }
                let mine = try await place.member(server, notes: dialect == .sqlite ? nil : 2)
                try await leaveByPages(mine, server)
                try await place.expectOut(mine, server, "pages")
                #expect(try await server.isAccepted(stays.device.access))
                #expect(try await server.refresh(stays.other.refresh).status == 200)
            }
        }
    }

    private func leaveByPages(_ mine: AccountPlace.Member, _ server: RunningServer) async throws {
        let jar = Guarded(CookieJar())
        _ = try await jar.page(server, "/account/delete")
        let fields = ["email": mine.device.email, "password": SignedIn.password, "next": "delete"]
        let welcome = try await jar.send(server, "/account/sign-in", fields)
        #expect(welcome.status == 303, "\(welcome)")
        _ = try await jar.page(server, "/account/delete")
        let asked = try await jar.send(server, "/account/delete", [:])
        #expect(asked.headers["location"].first == "/account/delete/progress", "\(asked)")
        try await eventually { try await jar.page(server, "/account/delete/progress").text.contains("receiptLink") }
    }

    @Test(
        "SV-7 SV-9 SE-9 after grace, and by a separate worker, neither password nor refresh token nor code lets an erased user in",
        .timeLimit(.minutes(30)), arguments: places)
    func later(_ dialect: SQLDialect, _ binding: AccountPlace.Binding) async throws {
        try await AccountPlace.with(dialect, binding) { place in
            try await place.place.serving(place.settings("grace-days: 7")) { server in
                let mine = try await place.member(server, notes: 2)
                let asked = try await ask(mine, server)
                #expect(asked.status == 202 && asked.json["state"] as? String == "grace", "\(asked)")
                #expect(try await server.isAccepted(mine.device.access))
                let past = "'2001-01-01T00:00:00.000Z'"
                try await place.run("UPDATE \(place.control)requests SET ready_at = \(past), grace_until = \(past)", in: place.data)
                try await eventually { try await isDone(mine, server) }
                try await place.expectOut(mine, server, "grace")
            }
            guard dialect == .postgresql else { return }
            try await place.place.serving(place.settings("concurrency: 0")) { server in
                let mine = try await place.member(server, notes: 2)
                let asked = try await ask(mine, server)
                #expect(asked.status == 202, "\(asked)")
                let places = ErasurePlace(place: place.place, people: try .init(.coachme, people: 1))
                try await places.working(place.settings()) { _ in
                    try await eventually { try await isDone(mine, server) }
                }
                try await place.expectOut(mine, server, "worker")
            }
        }
    }

    private func ask(_ mine: AccountPlace.Member, _ server: RunningServer) async throws -> ServerAnswer {
        let ticket = #"{"ticket":"\#(mine.id.replacing("-", with: ""))"}"#
        return try await server.ask(
            .POST, "/v1/erasures", token: mine.device.access, json: ticket, headers: ["Idempotency-Key": "k"])
    }

    private func isDone(_ mine: AccountPlace.Member, _ server: RunningServer) async throws -> Bool {
        let ticket = ["X-Farewell-Ticket": mine.id.replacing("-", with: "")]
        return try await server.ask(.GET, "/v1/erasures", headers: ticket).json["state"] as? String == "done"
    }

    // MARK: By the command

    @Test(
        "BX-4 BX-7 BX-8 SE-9 after erasure by the command, alone, in groups, in pieces, resumed or repeated, nothing lets the user in",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases, [AccountPlace.Binding.foreignKey, .sameKey])
    func byCommand(_ dialect: SQLDialect, _ binding: AccountPlace.Binding) async throws {
        try await AccountPlace.with(dialect, binding) { place in
            try await place.place.serving(place.settings()) { server in
                let alone = try await place.member(server, notes: 2)
                try await erase(place, ["--subject", alone.id])
                try await place.expectOut(alone, server, "alone")

                var group: [AccountPlace.Member] = []
                for notes in [1, nil, 3, 2] { group.append(try await place.member(server, notes: notes)) }
                let file = place.place.folder.appendingPathComponent("subjects.txt")
                try Data(group.map(\.id).joined(separator: "\n").utf8).write(to: file)
                let more = dialect == .postgresql ? ["--concurrency", "2"] : []
                try await erase(place, ["--subjects-file", file.path, "--group", "2"] + more)
                for mine in group { try await place.expectOut(mine, server, "group") }

                let large = try await place.member(server, notes: 25_000)
                try await erase(place, ["--subject", large.id])
                try await place.expectOut(large, server, "large")

                let resumed = try await place.member(server, notes: 45_000)
                try await kill(place, ["--subject", resumed.id])
                try await erase(place, ["--resume", "--take-over"])
                try await place.expectOut(resumed, server, "resumed")

                let restored = try await place.member(server, notes: 2)
                let rows = try await kept(restored, place)
                try await erase(place, ["--subject", restored.id])
                for row in rows { try await place.run(row, in: place.data) }
                let path = "/auth/v1/admin/users/\(restored.id)"
                #expect(try await server.ask(.GET, path, token: server.serviceKey()).status == 200, "restored")
                let again = try await place.place.call(["reerase", "--yes"] + Self.plan(place))
                #expect(again.status == 0, "\(again)")
                try await place.expectOut(restored, server, "erased again")
            }
        }
    }

    private static func plan(_ place: AccountPlace) -> [String] { ["--database", place.data, "--plan", "plan.yaml"] }

    private func erase(_ place: AccountPlace, _ arguments: [String]) async throws {
        let confirmed = arguments.first == "--resume" ? [] : ["--yes"]
        let end = try await place.place.call(["erase"] + arguments + confirmed + Self.plan(place))
        #expect(end.status == 0, "\(arguments) \(end)")
    }

    /// Kills the command when the first rows of a long step are gone.
    private func kill(_ place: AccountPlace, _ arguments: [String]) async throws {
        let pipe = try LinePipe()
        var isKilled = false
        _ = try await Subprocess.run(
            place.place.configuration(["erase", "--yes", "--json"] + arguments + Self.plan(place)), input: .none,
            output: .fileDescriptor(pipe.writer, closeAfterSpawningProcess: true), error: .discarded
        ) { execution in
            while let line = try await pipe.next() {
                guard !isKilled, line.contains("\"advanced\"") else { continue }
                isKilled = true
                try execution.send(signal: .kill)
            }
        }
        try pipe.close()
        #expect(isKilled, "there was no middle")
    }

    /// Statements that bring an account and its row in the app back, as a restore would.
    private func kept(_ mine: AccountPlace.Member, _ place: AccountPlace) async throws -> [String] {
        let database = try openDatabase(place.data)
        let schema = try await Schema.read(from: database)
        var statements: [String] = []
        for name in [place.account("users"), "members"] {
            let table = try #require(schema.tables.first { "\($0.name)" == name || "\($0.name)" == "public.\(name)" })
            let columns = table.columns.filter { !$0.isGenerated }.map { place.place.dialect.quoted($0.name) }
            let values = columns.map { "quote_nullable(\($0)::text)" }
            let quoted = place.place.dialect == .postgresql ? values : columns.map { "quote(\($0))" }
            let query = "SELECT \(quoted.joined(separator: " || ', ' || ")) FROM \(name) WHERE id = '\(mine.id)'"
            let row = try await database.withConnection { try await $0.run(SQLStatement(query)).scalar?.text }
            statements.append("INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(try #require(row)))")
        }
        await database.close()
        return statements
    }
}
