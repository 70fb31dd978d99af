// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("Calls that wait for the end of an erasure")
struct ErasureWaitTests {
    @Test(
        "SV-9 AD-6 a call that begins late waits only while it can still answer 202: an accepted request never gets a 504",
        arguments: ["/v1/erasures", "/functions/v1/delete-account", "/me/account"])
    func late(_ path: String) async throws {
        // With the acceptance, 196 of the 200 seconds of a call are over.
        let (isAccepted, sleeps) = (Guarded(false), Guarded<[Duration]>([]))
        try await ErasureMount.with(isWorking: .off) { environment, world in
            environment.makeIdentifier = {
                isAccepted.withLock { $0 = true }
                return UUID()
            }
            environment.sleep = { duration in
                sleeps.withLock { $0.append(duration) }
                await Task.yield()
            }
            world.elapsed = { isAccepted.withLock { $0 } ? .seconds(196) : .zero }
            world.sleep = { _ in try await ContinuousClock().sleep(for: .seconds(3_600)) }
        } _: { mount in
            let anna = try await mount.person()
            isAccepted.withLock { $0 = false }
            sleeps.withLock { $0 = [] }
            let fields = ["Idempotency-Key": "k", "Prefer": "wait=60"]
            let method: HTTPRequest.Method = path == "/me/account" ? .delete : .post
            let answer = try await mount.ask(method, path, token: anna.token, fields)
            #expect(answer.status == 202, "\(answer)")
            #expect(sleeps.withLock { $0.max() } == .seconds(3))
        }
    }

    @Test("BX-4 P4 Item 39 SV-9 a request under way when the erasure ends gets that erasure's answer and begins no second one")
    func underWay() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let deletion = try #require(mount.server.deletion)
            // Identified while the account is there; everything else is late.
            let late = try await deletion.identity.person(ErasureCredentials(token: .success(anna.token)))
            let done = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k", "Prefer": "wait=180"])
            #expect(done.status == 200, "\(done)")
            let kept = "SELECT count(*) FROM auth_revocations WHERE subject = $1"
            let entries = try await mount.database.withConnection {
                try await $0.run(SQLStatement(kept, [.text(anna.id)])).scalar?.integer ?? 0
            }
            #expect(entries > 0, "the erasure keeps rows that name the subject")
            for key in ["k", "another"] {
                let answer = try await deletion.request(ErasureRequest(idempotencyKey: key), of: late)
                #expect(answer.isKnown && answer.erasure.id.text == done.json["id"] as? String, "\(key)")
                #expect(answer.erasure.state == .done)
            }
            let all = try await mount.database.withConnection {
                try await $0.run("SELECT count(*) FROM farewell_erasures").scalar?.integer
            }
            #expect(all == 1)
        }
    }

    @Test("P1 an awaited call counts as on its way until it is accepted or refused, and other calls do not")
    func onItsWay() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let deletion = try #require(mount.server.deletion)
            let (credentials, arriving) = (ErasureCredentials(token: .success(anna.token)), deletion.requests.arriving)
            for isAwaited in [false, true] {
                var request = ErasureRequest(idempotencyKey: "k")
                request.isAwaited = isAwaited
                let (asked, counted) = (request, Guarded(-1))
                await #expect(throws: FarewellError.self) {
                    _ = try await deletion.request(asked, by: credentials) { _ in
                        counted.withLock { $0 = arriving.count }
                        throw FarewellError("test.objection", .yoursToFix, "No.")
                    }
                }
                #expect(counted.withLock { $0 } == (isAwaited ? 1 : 0) && arriving.count == 0)
            }
            let done = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k", "Prefer": "wait=180"])
            #expect(done.status == 200 && arriving.count == 0, "\(done)")
        }
    }

    @Test(
        "a quarter of the time that a call has left is kept for its answer, at most two seconds",
        arguments: [(0, 8_000), (9_000, 750), (6_000, 3_000), (10_000, 0), (11_000, 0)])
    func patience(_ elapsed: Int, _ patience: Int) {
        let deadline = CallDeadline(due: .seconds(10)) { .milliseconds(elapsed) }
        #expect(deadline.longestWait == .milliseconds(patience))
    }
}
