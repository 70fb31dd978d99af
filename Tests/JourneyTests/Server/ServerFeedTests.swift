// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@Suite("The feed of revocations, against running servers")
struct ServerFeedTests {
    /// Follows a feed until an entry names `session`; answers its cursor and how many entries came before it.
    private func follow(
        _ server: RunningServer, after cursor: String? = nil, until session: String,
        once following: @Sendable () async throws -> Void = {}
    ) async throws -> (cursor: String, before: Int) {
        var request = HTTPClientRequest(url: server.url + "/v1/revocations")
        request.headers.add(name: "Authorization", value: "Bearer \(try server.followerKey())")
        if let cursor { request.headers.add(name: "Last-Event-ID", value: cursor) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        try #require(response.status == .ok && response.headers["Content-Type"].first?.hasPrefix("text/event-stream") == true)
        var text = ""
        var isFollowing = false
        for try await piece in response.body {
            text += String(buffer: piece)
            if !isFollowing {
                isFollowing = true
                try await following()
            }
            let events = text.components(separatedBy: "\n\n").dropLast().filter { $0.hasPrefix("id:") }
            if let place = events.firstIndex(where: { $0.contains("\"session_id\":\"\(session)\"") }) {
                let id = events[place].split(separator: "\n")[0].dropFirst("id: ".count)
                return (String(id), place)
            }
        }
        throw ServerNeverListened(said: text)
    }

    @Test("a sign-out reaches followers while they are connected, even at a second server", arguments: SQLDialect.allCases)
    func latency(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { first in
                let again: @Sendable (RunningServer) async throws -> Void = { second in
                    let mine = try await first.person()
                    let told = try await follow(second, until: mine.session) {
                        let answer = try await first.ask(.POST, "/auth/v1/logout", token: mine.access)
                        #expect(answer.status == 204)
                    }
                    #expect(told.cursor.split(separator: ".").first.flatMap { Int64($0) } != nil, "\(told)")
                }
                // SQLite's second server would have a file of its own; its feed is followed where it was revoked.
                if dialect == .postgresql { try await place.serving(use: again) } else { try await again(first) }
            }
        }
    }

    @Test("a reader that returns with its last cursor gets the missed entries, and none twice", arguments: SQLDialect.allCases)
    func resumes(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let people = [try await server.person(), try await server.person(), try await server.person()]
                for person in people {
                    let out = try await server.ask(.POST, "/v1/sign-out", json: #"{"ticket":"\#(person.ticket)"}"#)
                    #expect(out.status == 200)
                }
                let first = try await follow(server, until: people[0].session)
                let rest = try await follow(server, after: first.cursor, until: people[2].session)
                #expect(rest.before == 1)
                let number = try #require(first.cursor.split(separator: ".").first.map(String.init))
                let bare = try await follow(server, after: number, until: people[2].session)
                #expect(bare.before == 1, "as followers have kept it that came before")
                let key = try server.followerKey()
                for strange in ["soon", "1000000", number + ".", number + ".0011223344556677"] {
                    let answer = try await server.ask(.GET, "/v1/revocations", token: key, headers: ["Last-Event-ID": strange])
                    #expect(answer.status == 400, "\(strange): \(answer)")
                }
                #expect(try await server.ask(.GET, "/v1/revocations").status == 401)
                #expect(try await server.ask(.GET, "/v1/revocations", token: people[0].access).status == 403)
            }
        }
    }

    @Test("SC-4 an operator's stream of ended sessions ends with the operator's own session")
    func ended() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous + "feed: {heartbeat: 1}\n") { server in
                let (mine, other) = (try await server.person(), try await server.person())
                let me = try await server.ask(.GET, "/auth/v1/user", token: mine.access)
                let id = try #require(me.json["id"] as? String)
                let role = #"{"role":"service_role"}"#
                #expect(try await server.ask(.PUT, "/auth/v1/admin/users/\(id)", token: server.serviceKey(), json: role).status == 200)
                let access = try #require(try await server.refresh(mine.refresh).json["access_token"] as? String)
                var request = HTTPClientRequest(url: server.url + "/v1/revocations")
                request.headers.add(name: "Authorization", value: "Bearer \(access)")
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
                try #require(response.status == .ok)
                for token in [access, other.access] {
                    #expect(try await server.ask(.POST, "/auth/v1/logout", token: token).status == 204)
                }
                var text = ""
                for try await piece in response.body {
                    text += String(buffer: piece)
                    if text.contains(other.session) { break }
                }
                #expect(!text.contains(other.session))
            }
        }
    }

    /// Whether a follower is admitted; it does not follow any longer when this returns.
    private func isLetIn(_ server: RunningServer) async throws -> Bool {
        var request = HTTPClientRequest(url: server.url + "/v1/revocations")
        request.headers.add(name: "Authorization", value: "Bearer \(try server.followerKey())")
        return try await HTTPClient.shared.execute(request, timeout: .seconds(600)).status == .ok
    }

    @Test("a disconnected follower frees its place at once, and not only at its next event")
    func places() async throws {
        let one = ServerPlace.generous.replacing("request-timeout: 120", with: "request-timeout: 120, followers: 1")
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(one + "feed: {heartbeat: 60}\n") { server in
                let clock = ContinuousClock()
                let begin = clock.now
                for _ in 0..<5 { try await eventually { try await isLetIn(server) } }
                #expect(clock.now - begin < .seconds(50))
            }
        }
    }
}
