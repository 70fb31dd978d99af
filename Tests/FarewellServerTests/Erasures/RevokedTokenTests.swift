// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("Tokens of ended sessions")
struct RevokedTokenTests {
    private func tickets(_ mount: ErasureMount) async throws -> Int64? {
        let count = SQLStatement("SELECT count(*) FROM farewell_tickets")
        return try await mount.database.withConnection { try await $0.run(count).scalar?.integer }
    }

    private func ask(_ token: String, _ key: String, _ mount: ErasureMount) async throws -> ErasureMount.Answer {
        try await mount.ask(.post, "/v1/erasures", token: token, ["Idempotency-Key": key, "Prefer": "wait=60"])
    }

    @Test("SC-4 a signed-out token opens no erasure; a token whose session the deletion ended gets the same answer again")
    func revoked() async throws {
        try await ErasureMount.with { mount in
            let person = try await mount.person()
            let stolen = try await mount.ask(
                .post, "/auth/v1/token?grant_type=password",
                json: #"{"email":"\#(person.email)","password":"\#(ErasureMount.password)"}"#)
            let thief = try #require(stolen.json["access_token"] as? String, "\(stolen)")
            let out = try await mount.ask(.post, "/auth/v1/logout?scope=others", token: person.token)
            #expect(out.status == 204, "\(out)")
            let first = try await ask(person.token, "k", mount)
            #expect(first.status == 200 && first.json["state"] as? String == "done", "\(first)")
            let handedOut = try await tickets(mount)

            for number in 0..<5 {
                let answer = try await ask(thief, "thief-\(number)", mount)
                #expect(answer.status == 401 && answer.json["ticket"] == nil, "\(answer)")
                for path in ["/functions/v1/delete-account", "/rest/v1/rpc/delete_auth_user"] {
                    #expect(try await mount.ask(.post, path, token: thief).status == 401, "\(path)")
                }
            }
            for _ in 0..<5 {
                let again = try await ask(person.token, "k", mount)
                #expect(again.status == 200 && again.json["ticket"] as? String == first.json["ticket"] as? String, "\(again)")
                #expect(again.json["id"] as? String == first.json["id"] as? String)
            }
            #expect(try await tickets(mount) == handedOut, "no ticket is added")
            // An app that lost its key still gets the result of the erasure.
            #expect(try await ask(person.token, "another", mount).status == 200)
        }
    }

    @Test("SC-4 a stream of an erasure ends once the token that opened it is signed out", .timeLimit(.minutes(10)))
    func signedOutFollower() async throws {
        let (looks, looked) = AsyncStream.makeStream(of: Void.self)
        try await ErasureMount.with(
            isWorking: .off,
            changing: { _, world in
                let wait = world.sleep
                world.sleep = { duration in
                    // Only a stream waits for a second, and it has been opened by then.
                    guard duration == .seconds(1) else { return try await wait(duration) }
                    looked.yield()
                    try await wait(.milliseconds(10))
                }
            }
        ) { mount in
            let person = try await mount.person()
            let asked = try await mount.asked(by: person)
            async let stream = mount.ask(.get, "/v1/erasures/\(asked.id)/events", token: person.token)
            for await _ in looks { break }
            let authority = mount.server.authority
            let caller = try await authority.authenticate(person.token)
            let id = try #require(UUID(uuidString: asked.id))
            let found = try await mount.requests.erasure(id)
            let erasure = try #require(found)
            let deletion = try #require(mount.server.deletion)
            let credentials = ErasureCredentials(token: .success(person.token))
            #expect(try await deletion.stillShows(erasure, to: credentials))
            try await authority.signOut(caller, scope: .local)
            let events = try await stream
            #expect(events.status == 200 && events.text.contains(#""state":"requested""#), "\(events)")
            #expect(try await !deletion.stillShows(erasure, to: credentials))
        }
    }

    @Test("a token whose session the deletion ended still shows the erasure to its follower")
    func endedByDeletion() async throws {
        try await ErasureMount.with { mount in
            let person = try await mount.person()
            let done = try await ask(person.token, "k", mount)
            #expect(done.json["state"] as? String == "done", "\(done)")
            let id = try #require(UUID(uuidString: done.json["id"] as? String ?? ""))
            let found = try await mount.requests.erasure(id)
            let erasure = try #require(found)
            let deletion = try #require(mount.server.deletion)
            #expect(try await deletion.stillShows(erasure, to: ErasureCredentials(token: .success(person.token))))
        }
    }
}
