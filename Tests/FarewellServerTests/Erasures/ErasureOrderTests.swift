// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation
import HTTPTypes
import Testing

@Suite("Requests for erasures in the wrong order")
struct ErasureOrderTests {
    @Test("Item 30: no GET or HEAD deletes or cancels, whichever user follows a link")
    func reading() async throws {
        try await ErasureMount.with(isWorking: .off) { mount in
            let anna = try await mount.person()
            let before = try await mount.rows(of: anna)
            for (method, path) in ErasureRouteTests.deleting {
                for reading in [HTTPRequest.Method.get, .head] {
                    let fields = ["Idempotency-Key": "k", "Purpose": "prefetch"]
                    let answer = try await mount.ask(reading, path, token: anna.token, fields)
                    #expect([404, 405].contains(answer.status), "\(reading) \(path) for \(method): \(answer)")
                }
            }
            let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
            let id = try #require(asked.json["id"] as? String, "\(asked)")
            for path in ["", "/hold", "/cancel", "/events?cancel=1", "?_method=DELETE"] {
                _ = try await mount.ask(.get, "/v1/erasures/\(id)\(path)", ["X-HTTP-Method-Override": "DELETE"])
            }
            #expect(try await mount.requests.erasure(try #require(UUID(uuidString: id)))?.state == .requested)
            #expect(try await mount.rows(of: anna) == before)
        }
    }

    @Test("Item 37: a step out of order, without a token or by another user changes nothing")
    func outOfOrder() async throws {
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1), isWorking: .off) { mount in
            let anna = try await mount.person()
            let other = try await mount.person()
            let before = try await mount.rows(of: anna)
            let unknown = "/v1/erasures/\(UUID().uuidString.lowercased())"
            for (method, path) in [
                (HTTPRequest.Method.delete, ""), (.get, ""), (.get, "/receipt"), (.get, "/receipt/page"), (.get, "/events"),
                (.put, "/hold"), (.delete, "/hold"),
            ] {
                for token in [nil, anna.token] {
                    let answer = try await mount.ask(method, unknown + path, token: token, json: #"{"reason":"x"}"#)
                    #expect((400..<500).contains(answer.status), "\(method) \(path) \(answer)")
                }
            }
            let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
            let id = try #require(asked.json["id"] as? String, "\(asked)")
            for path in ["/receipt", "/receipt/page"] {
                let early = try await mount.ask(.get, "/v1/erasures/\(id)\(path)", token: anna.token)
                #expect((400..<500).contains(early.status), "no receipt before the end: \(early)")
            }
            for token in [nil, other.token] {
                #expect(try await mount.ask(.delete, "/v1/erasures/\(id)", token: token).status >= 401)
                #expect(try await mount.ask(.post, "/v1/erasures/\(id)", token: token).status >= 401)
                #expect(try await mount.ask(.post, "/v1/dead-letters/all", token: token).status >= 401)
            }
            #expect(try await mount.requests.erasure(try #require(UUID(uuidString: id)))?.state == .grace)
            #expect(try await mount.rows(of: anna) == before)
        }
    }

    @Test("a call that waits for an erasure in grace or on hold gets its answer at once", arguments: [7, 0])
    func unwaited(graceDays: Int) async throws {
        let rules = ServiceRules(graceDays: graceDays, secondLook: 0, concurrency: 1, poll: 1)
        try await ErasureMount.with(rules, isWorking: .off) { mount in
            let anna = try await mount.person()
            if graceDays == 0 {
                let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
                let id = try #require(UUID(uuidString: asked.json["id"] as? String ?? ""), "\(asked)")
                _ = try await mount.requests.hold(id, reason: "x", by: "operator")
            }
            let begin = ContinuousClock.now
            let fields = ["Idempotency-Key": "k", "Prefer": "wait=60"]
            let answer = try await mount.ask(.post, "/v1/erasures", token: anna.token, fields)
            #expect(answer.status == 202, "\(answer)")
            #expect(ContinuousClock.now - begin < .seconds(45), "nothing can happen in a minute")
        }
    }

    @Test("F18 AD-8 a user who signs up again during their erasure meets the existing account, and no second one")
    func during() async throws {
        try await ErasureMount.with(isWorking: .off) { mount in
            let anna = try await mount.person()
            let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
            #expect(asked.status == 202, "\(asked)")
            let before = try await mount.rows(of: anna)
            let again = try await mount.ask(
                .post, "/auth/v1/signup", json: #"{"email":"\#(anna.email)","password":"\#(ErasureMount.password)"}"#)
            #expect(again.status == 422 && again.code == "user_already_exists", "\(again)")
            #expect(try await mount.rows(of: anna) == before)
        }
    }
}
