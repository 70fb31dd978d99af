// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import Testing

/// Stripe as it repeats each answer to a key. Until the cause is removed it refuses a subscription and each redaction job,
/// or fails at them.
private final class RepeatingStripe: Sendable {
    private struct State {
        var answers: [String: SystemReply] = [:]
        var isMended = false
        var isCustomerThere = true
        var ending: Set<String> = []
    }

    private let state = Guarded(State())
    private let refusal: SystemReply

    init(status: Int) {
        refusal = .json(status, #"{"error":{"type":"invalid_request_error","message":"It has a schedule."}}"#)
    }

    var ending: Set<String> { state.withLock { $0.ending } }

    func mend() { state.withLock { $0.isMended = true } }

    func service() -> AnsweringService { AnsweringService { call in self.state.withLock { self.answer(call, &$0) } } }

    private func answer(_ call: SystemCall, _ state: inout State) -> SystemReply {
        let key = call.header("Idempotency-Key")
        guard call.method == "POST", let key else { return told(call, &state) }
        if var before = state.answers[key] {
            before.headers["idempotent-replayed"] = "true"
            return before
        }
        let reply = told(call, &state)
        state.answers[key] = reply
        return reply
    }

    private func told(_ call: SystemCall, _ state: inout State) -> SystemReply {
        let name = call.path.split(separator: "/").last.map(String.init) ?? ""
        switch (call.method, call.path) {
        case ("GET", "/v1/customers/cus_1"):
            let end = state.isCustomerThere ? "" : #","deleted":true"#
            return .json(200, #"{"id":"cus_1","object":"customer"\#(end)}"#)
        case ("DELETE", "/v1/customers/cus_1"):
            state.isCustomerThere = false
            return .json(200, #"{"id":"cus_1","object":"customer","deleted":true}"#)
        case ("GET", "/v1/invoices"): return .json(200, #"{"object":"list","data":[],"has_more":false}"#)
        case ("GET", "/v1/subscriptions"):
            let all = (1...3).map { Self.subscription("sub_\($0)", state) }.joined(separator: ",")
            return .json(200, #"{"object":"list","data":[\#(all)],"has_more":false}"#)
        case ("POST", "/v1/privacy/redaction_jobs"):
            return state.isMended ? .json(200, #"{"id":"prj_1","status":"created"}"#) : refusal
        case ("GET", "/v1/privacy/redaction_jobs/prj_1"): return .json(200, #"{"id":"prj_1","status":"succeeded"}"#)
        case ("DELETE", _): return .json(200, #"{"id":"\#(name)","status":"canceled"}"#)
        default:
            guard name != "sub_2" || state.isMended else { return refusal }
            state.ending.insert(name)
            return .json(200, Self.subscription(name, state))
        }
    }

    private static func subscription(_ id: String, _ state: State) -> String {
        let isEnding = state.ending.contains(id)
        return #"{"id":"\#(id)","status":"active","cancel_at_period_end":\#(isEnding),"current_period_end":1800864000}"#
    }
}

@Suite("Refusals that Stripe repeats", .contracts)
struct RepeatedRefusalTests {
    private let kept = Guarded<StepProgress?>(nil)

    @discardableResult
    private func run(_ settings: [String: String], on stripe: RepeatingStripe) async throws -> StepProgress {
        let connector = try stripe.service().connector("stripe", settings)
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        let request = ConnectorRequest(key: "run", names: ["cus_1"])
        return try await driver.run(request, from: kept.withLock { $0 }) { progress in kept.withLock { $0 = progress } }
    }

    @Test("SYS-08 SY-3 a subscription that may not end with its period keeps no other, and a released erasure asks about it anew")
    func subscriptions() async throws {
        let (settings, stripe) = (["subscriptions": "period-end"], RepeatingStripe(status: 400))
        #expect(await fault { try await run(settings, on: stripe) }?.code == "connector.refused")
        #expect(stripe.ending == ["sub_1", "sub_3"])
        stripe.mend()
        await #expect(throws: SystemRest.self) { try await run(settings, on: stripe) }
        #expect(stripe.ending == ["sub_1", "sub_2", "sub_3"])
    }

    @Test("SY-3 a refused redaction job is made with another key once the erasure is released")
    func job() async throws {
        let (settings, stripe) = (["redact": "job"], RepeatingStripe(status: 400))
        #expect(await fault { try await run(settings, on: stripe) }?.code == "connector.refused")
        stripe.mend()
        #expect(try await run(settings, on: stripe).counts["erased"] == 1)
    }

    @Test("SY-3 an error of its own that Stripe stores for a key does not stop the erasure for a day: the next try has another key")
    func stored() async throws {
        let stripe = RepeatingStripe(status: 500)
        #expect(await fault { try await run(["redact": "job"], on: stripe) }?.code == "connector.unavailable")
        stripe.mend()
        #expect(try await run(["redact": "job"], on: stripe).counts["erased"] == 1)
    }

    @Test("SY-3 the same holds for a subscription that is to end with its period")
    func storedSubscription() async throws {
        let (settings, stripe) = (["subscriptions": "period-end"], RepeatingStripe(status: 500))
        #expect(await fault { try await run(settings, on: stripe) }?.code == "connector.unavailable")
        stripe.mend()
        await #expect(throws: SystemRest.self) { try await run(settings, on: stripe) }
        #expect(stripe.ending == ["sub_1", "sub_2", "sub_3"])
    }
}
