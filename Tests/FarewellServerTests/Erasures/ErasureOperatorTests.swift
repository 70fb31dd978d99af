// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellErasure
import Foundation
import HTTPTypes
import Testing

@Suite("The operators' actions over HTTP")
struct ErasureOperatorTests {
    private static let graceful = ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1)
    private static let reason = #"{"reason":"lawsuit 7"}"#

    @Test("Item 37: operators hold and release, and no other user can")
    func nobodyElse() async throws {
        try await ErasureMount.with(Self.graceful) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            let id = try await mount.asked(by: anna).id
            let before = try await mount.rows(of: anna)
            let role: [String: Any] = ["iss": "farewell", "role": "service_role", "iat": 1_700_000_000]
            let strangers: [(token: String?, status: Int, code: String)] = [
                (nil, 401, "no_authorization"), ("nonsense", 403, "bad_jwt"), (ErasureMount.token(role), 403, "bad_jwt"),
                (anna.token, 403, "not_admin"), (other.token, 403, "not_admin"),
                (ErasureMount.token(role.merging(["exp": 1_700_000_001]) { $1 }, secret: ErasureMount.operatorSecret), 403, "bad_jwt"),
                (ErasureMount.token(role.merging(["role": "authenticated"]) { $1 }, secret: ErasureMount.operatorSecret), 403, "not_admin"),
            ]
            let calls: [(method: HTTPRequest.Method, path: String)] = [
                (.put, "/v1/erasures/\(id)/hold"), (.delete, "/v1/erasures/\(id)/hold"), (.get, "/v1/dead-letters"),
                (.post, "/v1/dead-letters/crm"),
            ]
            for (token, status, code) in strangers {
                for (method, path) in calls {
                    let answer = try await mount.ask(method, path, token: token, json: Self.reason)
                    #expect(answer.status == status && answer.code == code, "\(method) \(path) \(answer)")
                }
            }
            #expect(try await mount.requests.erasure(try #require(UUID(uuidString: id)))?.holdReason == nil)
            #expect(try await mount.state(of: id) == .grace)
            #expect(try await mount.rows(of: anna) == before)
            for act in ["erasure.held", "erasure.hold-ended", "events.redelivered"] {
                #expect(try await mount.operatorsActs(act) == 0, "\(act)")
            }
        }
    }

    @Test("Item 37 F20: an operator's hold stops a due erasure while another one is carried out; once released it continues")
    func hold() async throws {
        try await ErasureMount.with(Self.graceful) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            let (held, free) = (try await mount.asked(by: anna), try await mount.asked(by: other))
            let before = try await mount.rows(of: anna)
            let path = "/v1/erasures/\(held.id)/hold"
            let operators = ErasureMount.operatorToken
            let long = String(repeating: "x", count: 1_001)
            for body in ["{}", #"{"reason":""}"#, #"{"reason":"\#(long)"}"#] {
                let refused = try await mount.ask(.put, path, token: operators, json: body)
                #expect(refused.status == 400 && refused.code == "erasure.malformed", "\(refused)")
            }
            let stopped = try await mount.ask(.put, path, token: operators, json: Self.reason)
            #expect(stopped.status == 200 && stopped.json["is_held"] as? Bool == true, "\(stopped)")
            #expect(stopped.json["state"] as? String == "grace" && !stopped.text.contains("lawsuit"), "\(stopped)")
            let seen = try await mount.ask(.get, "/v1/erasures/\(held.id)", ["X-Farewell-Ticket": held.ticket])
            #expect(seen.json["is_held"] as? Bool == true && !seen.text.contains("lawsuit"), "\(seen)")

            let deletion = try await mount.ask(.delete, "/auth/v1/admin/users/\(anna.id)", token: operators)
            #expect(deletion.status == 409 && deletion.code == "erasure.held", "\(deletion)")

            // Both are due now; a worker that claims the free one has skipped the held one.
            try await mount.endGrace(of: held.id)
            try await mount.endGrace(of: free.id)
            try await eventually { try await mount.state(of: free.id) == .done }
            #expect(try await mount.state(of: held.id) == .grace)
            #expect(try await mount.rows(of: anna) == before)
            #expect(try await mount.isAccepted(anna.token))

            let released = try await mount.ask(.delete, path, token: operators)
            #expect(released.status == 200 && released.json["is_held"] as? Bool == false, "\(released)")
            try await eventually { try await mount.state(of: held.id) == .done }
            #expect(try await mount.rows(of: anna).isEmpty)
            for act in ["erasure.held", "erasure.hold-ended"] {
                #expect(try await mount.operatorsActs(act) == 1, "\(act)")
            }
            let late = try await mount.ask(.put, path, token: operators, json: Self.reason)
            #expect(late.status == 409 && late.code == "erasure.too-late", "\(late)")
            for method in [HTTPRequest.Method.put, .delete] {
                let unknown = try await mount.ask(method, "/v1/erasures/\(UUID())/hold", token: operators, json: Self.reason)
                #expect(unknown.status == 404 && unknown.code == "erasure.not-found", "\(unknown)")
            }
        }
    }

    @Test("Item 37 F10: operators list undelivered events and deliver them again; no other user sees or sends them")
    func deadLetters() async throws {
        let receiver = Receiver()
        try await ErasureMount.with(delivery: receiver) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            let done = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k", "Prefer": "wait=60"])
            #expect(done.status == 200, "\(done)")
            let id = try #require(done.json["id"] as? String)
            let operators = ErasureMount.operatorToken
            func listed() async throws -> ErasureMount.Answer { try await mount.ask(.get, "/v1/dead-letters", token: operators) }
            try await eventually { (try await listed().json["dead_letters"] as? [Any])?.count == 1 }
            let list = try await listed()
            let letter = try #require((list.json["dead_letters"] as? [[String: Any]])?.first, "\(list)")
            #expect(letter["endpoint"] as? String == "crm" && letter["event"] as? String == "erasure.done", "\(list)")
            #expect(letter["erasure"] as? String == id && letter["attempts"] as? Int == 1, "\(list)")
            #expect(letter["reason"] as? String == "status 410", "\(list)")
            #expect(![anna.id, anna.email].contains { list.text.contains($0) })

            receiver.isGone.withLock { $0 = false }
            for (token, status) in [(nil, 401), (other.token, 403)] as [(String?, Int)] {
                #expect(try await mount.ask(.get, "/v1/dead-letters", token: token).status == status)
                #expect(try await mount.ask(.post, "/v1/dead-letters/crm", token: token).status == status)
            }
            let elsewhere = try await mount.ask(.post, "/v1/dead-letters/other", token: operators)
            #expect(elsewhere.status == 200 && elsewhere.json["waiting"] as? Int == 0, "\(elsewhere)")
            #expect(try await listed().text == list.text, "it lies there as before")
            let again = try await mount.ask(.post, "/v1/dead-letters/crm", token: operators)
            #expect(again.status == 200 && again.json["waiting"] as? Int == 1, "\(again)")
            try await eventually { receiver.taken.withLock { !$0.isEmpty } }
            #expect(receiver.taken.withLock { $0.map { $0.uuidString.lowercased() } } == [id])
            #expect((try await listed().json["dead_letters"] as? [Any])?.isEmpty == true)
            #expect(try await mount.operatorsActs("events.redelivered") == 2)
        }
    }
}

/// Takes nothing for good until it is there again.
private struct Receiver: EventDelivery {
    let endpoints = [EventEndpoint(name: "crm", kinds: [.done])]
    let isGone = Guarded(true)
    let taken = Guarded<[UUID]>([])

    func deliver(_ event: OutgoingEvent, to endpoint: String) async throws(DeliveryFailure) {
        if isGone.withLock({ $0 }) { throw DeliveryFailure("status 410", isFinal: true) }
        taken.withLock { $0.append(event.erasure) }
    }
}
