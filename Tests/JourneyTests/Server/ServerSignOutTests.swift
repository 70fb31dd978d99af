// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Account deletion, against a running server")
struct ServerSignOutTests {
    @Test("SO-5 three sessions, three scopes: the tokens that work afterwards", arguments: SQLDialect.allCases)
    func scopes(_ dialect: SQLDialect) async throws {
        let expected: [(scope: String, lives: [Bool])] = [
            ("local", [false, true, true]), ("others", [true, false, false]), ("global", [false, false, false]),
            // Where nothing is said the contract's own rule holds.
            ("", [false, false, false]),
        ]
        try await ServerPlace.with(dialect) { place in
            let status = try await place.serving { server in
                for (scope, lives) in expected {
                    let first = try await server.person()
                    let sessions = [first, try await server.signIn(first.email), try await server.signIn(first.email)]
                    let answer = try await server.ask(.POST, "/auth/v1/logout?scope=\(scope)", token: first.access)
                    #expect(answer.status == 204 && answer.body.isEmpty, "\(answer)")
                    for (session, isAlive) in zip(sessions, lives) {
                        #expect(try await server.isAccepted(session.access) == isAlive, "\(scope)")
                        #expect(try await (server.refresh(session.refresh).status == 200) == isAlive, "\(scope)")
                    }
                    #expect(try await server.isAccepted(server.signIn(first.email).access), "SO-12")
                }
            }
            #expect(status == 0)
        }
    }

    @Test("SE-8 a user lists their sessions and ends one; the ended device learns the reason", arguments: SQLDialect.allCases)
    func sessionList(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let mine = try await server.person()
                let device = [
                    "X-Farewell-Device": "Anna's phone", "X-Farewell-Platform": "iOS 19.1",
                    "X-Farewell-App-Version": "4.2",
                ]
                let phone = try await server.signIn(mine.email, headers: device)
                let stranger = try await server.person()
                let list = try await server.ask(.GET, "/v1/sessions", token: mine.access)
                let sessions = try #require(list.json["sessions"] as? [[String: Any]])
                #expect(sessions.count == 2, "\(list)")
                let other = try #require(sessions.first { $0["id"] as? String == phone.session })
                #expect(other["device"] as? String == "Anna's phone" && other["platform"] as? String == "iOS 19.1")
                #expect(other["app_version"] as? String == "4.2" && other["is_current"] as? Bool == false)
                #expect(other["last_seen_at"] is String)
                #expect(sessions.first { $0["id"] as? String == mine.session }?["is_current"] as? Bool == true)

                let theft = try await server.ask(.DELETE, "/v1/sessions/\(phone.session)", token: stranger.access)
                #expect(theft.status == 404, "Item 25: \(theft)")
                #expect(try await server.isAccepted(phone.access))
                #expect(try await server.ask(.DELETE, "/v1/sessions/\(phone.session)", token: mine.access).status == 204)
                let ended = try await server.ask(.GET, "/auth/v1/user", token: phone.access)
                #expect(ended.status == 403 && ended.code == "session_not_found", "\(ended)")
                #expect((ended.json["hint"] as? String)?.contains("list of sessions") == true, "\(ended)")
                #expect(try await server.ask(.DELETE, "/v1/sessions/\(phone.session)", token: mine.access).status == 404)
                #expect(try await server.ask(.DELETE, "/v1/sessions/x", token: mine.access).status == 404)
                #expect(try await server.ask(.GET, "/v1/sessions").status == 401)
            }
        }
    }

    @Test("a ticket ends its session and nothing else, in any number of calls", arguments: SQLDialect.allCases)
    func ticket(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let mine = try await server.person()
                let other = try await server.signIn(mine.email)
                for ticket in [mine.ticket, mine.ticket, "unknown", mine.ticket + "x", mine.refresh, mine.access] {
                    let answer = try await server.ask(.POST, "/v1/sign-out", json: #"{"ticket":"\#(ticket)"}"#)
                    #expect(answer.status == 200 && answer.text == "{}", "\(answer)")
                }
                #expect(try await !server.isAccepted(mine.access))
                #expect(try await server.isAccepted(other.access))
                #expect(try await !server.isAccepted(mine.ticket))
                #expect(try await server.refresh(mine.ticket).status == 400)
                #expect(try await server.ask(.POST, "/v1/sign-out", json: "{}").status == 400)
                #expect(try await server.ask(.POST, "/v1/sign-out", json: #"{"ticket":7}"#).status == 400)
            }
        }
    }

    @Test(
        "SE-6 a client killed before it stores the answer repeats its request with its nonce, and stays signed in",
        arguments: SQLDialect.allCases)
    func killedClient(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving(ServerPlace.generous + "sessions: {reuse-interval: 3600}\n") { server in
                let mine = try await server.person()
                let kept = place.folder.appendingPathComponent("kept.json")
                let asked = #"{"refresh_token":"\#(mine.refresh)","nonce":"stored-before-asking"}"#
                try Data(asked.utf8).write(to: kept)
                try await Python.killed("Interop/killed_client.py", [server.auth, kept.path], after: "answered")
                let path = "/auth/v1/token?grant_type=refresh_token"
                let again = try await server.ask(.POST, path, json: try String(contentsOf: kept, encoding: .utf8))
                #expect(again.status == 200 && again.headers["sb-auth-refresh-token-reuse"].first == "true", "\(again)")
                #expect(again.headers["sb-auth-refresh-token-reuse-cause"].first == "concurrent-refresh,fail-to-save", "\(again)")
                let next = try #require(again.json["refresh_token"] as? String)
                let access = try #require(again.json["access_token"] as? String)
                #expect(try await server.isAccepted(access))
                #expect(try await server.refresh(next).status == 200)
                // A thief who found the same file's token has no nonce.
                let thief = try await server.ask(.POST, path, json: asked.replacing("stored", with: "guessed"))
                #expect(thief.status == 400 && thief.code == "refresh_token_already_used", "\(thief)")
                #expect(thief.headers["sb-auth-refresh-token-rotated"].first == "true", "\(thief)")
                #expect(try await !server.isAccepted(access))
            }
        }
    }

    @Test("a user barred by an operator receives that reason at every call", arguments: SQLDialect.allCases)
    func barred(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let mine = try await server.person()
                let me = try await server.ask(.GET, "/auth/v1/user", token: mine.access)
                let id = try #require(me.json["id"] as? String)
                let bar = #"{"ban_duration":"24h"}"#
                #expect(try await server.ask(.PUT, "/auth/v1/admin/users/\(id)", token: server.serviceKey(), json: bar).status == 200)
                let refreshed = try await server.refresh(mine.refresh)
                #expect(refreshed.status == 400 && refreshed.code == "user_banned", "\(refreshed)")
                #expect(refreshed.json["msg"] as? String == "Invalid Refresh Token: User Banned")
                let shown = try await server.ask(.GET, "/auth/v1/user", token: mine.access)
                #expect(shown.status == 403 && shown.code == "user_banned", "\(shown)")
            }
        }
    }

    @Test("AD-8 a deleted user who signs up again is a new user, and no old data comes back", arguments: SQLDialect.allCases)
    func newPerson(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let old = try await server.person()
                let data = #"{"data":{"nick":"Anna"}}"#
                let before = try await server.ask(.PUT, "/auth/v1/user", token: old.access, json: data)
                let id = try #require(before.json["id"] as? String)
                #expect(try await server.ask(.DELETE, "/auth/v1/admin/users/\(id)", token: server.serviceKey()).status == 200)
                let new = try await server.person(old.email)
                let after = try await server.ask(.GET, "/auth/v1/user", token: new.access)
                #expect(after.json["id"] as? String != id && (after.json["user_metadata"] as? [String: Any])?.isEmpty == true, "\(after)")
                let sessions = try await server.ask(.GET, "/v1/sessions", token: new.access)
                #expect((sessions.json["sessions"] as? [Any])?.count == 1, "\(sessions)")
                for token in [old.access] {
                    let shown = try await server.ask(.GET, "/auth/v1/user", token: token)
                    #expect(shown.status == 403 && shown.code == "user_not_found", "\(shown)")
                }
                #expect(try await server.refresh(old.refresh).status == 400)
                let out = try await server.ask(.POST, "/v1/sign-out", json: #"{"ticket":"\#(old.ticket)","scope":"global"}"#)
                #expect(out.status == 200)
                #expect(try await server.isAccepted(new.access), "an old ticket ends nothing of the new person")
            }
        }
    }

    @Test("Item 19: a revoked session stays revoked after kill -9 and a restart", arguments: SQLDialect.allCases)
    func killedAfterRevocation(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let kept = Guarded<(gone: SignedIn, stays: SignedIn)?>(nil)
            let status = try await place.serving { server in
                let gone = try await server.person()
                let stays = try await server.signIn(gone.email)
                #expect(try await server.ask(.POST, "/auth/v1/logout?scope=local", token: gone.access).status == 204)
                server.signal(SIGKILL)
                kept.withLock { $0 = (gone, stays) }
            }
            #expect(status == 128 + SIGKILL)
            let (gone, stays) = try #require(kept.withLock { $0 })
            let again = try await place.serving { server in
                let dead = try await server.refresh(gone.refresh)
                #expect(dead.status == 400, "\(dead)")
                #expect(try await !server.isAccepted(gone.access))
                #expect(try await server.isAccepted(stays.access))
                #expect(try await server.refresh(stays.refresh).status == 200)
            }
            #expect(again == 0)
        }
    }
}
