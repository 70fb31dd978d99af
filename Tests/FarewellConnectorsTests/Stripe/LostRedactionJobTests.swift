// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import Testing

@Suite("Redaction jobs that cannot be used again", .contracts)
struct LostRedactionJobTests {
    @Test(
        "SY-3 a redaction job that was cancelled, or that Stripe does not know, is followed by another when the erasure is released",
        arguments: ["canceled", "canceling", nil])
    func followed(_ status: String?) async throws {
        let (keys, isThere, kept) = (Guarded<[String]>([]), Guarded(true), Guarded<StepProgress?>(nil))
        let service = AnsweringService { call in
            switch (call.method, call.path) {
            case ("POST", "/v1/privacy/redaction_jobs"):
                let key = call.header("Idempotency-Key") ?? ""
                let number = keys.withLock { keys in
                    if !keys.contains(key) { keys.append(key) }
                    return keys.firstIndex(of: key).map { $0 + 1 } ?? 0
                }
                return .json(200, #"{"id":"prj_\#(number)","status":"created"}"#)
            case ("GET", "/v1/privacy/redaction_jobs/prj_1"):
                guard let status else {
                    return .json(404, #"{"error":{"type":"invalid_request_error","code":"resource_missing"}}"#)
                }
                return .json(200, #"{"id":"prj_1","status":"\#(status)"}"#)
            case ("GET", "/v1/privacy/redaction_jobs/prj_2"): return .json(200, #"{"id":"prj_2","status":"succeeded"}"#)
            case ("DELETE", _):
                isThere.withLock { $0 = false }
                return .json(200, #"{"id":"cus_1","object":"customer","deleted":true}"#)
            case ("GET", "/v1/customers/cus_1"):
                let end = isThere.withLock { $0 } ? "" : #","deleted":true"#
                return .json(200, #"{"id":"cus_1","object":"customer"\#(end)}"#)
            default: return .json(200, #"{"object":"list","data":[],"has_more":false}"#)
            }
        }
        let connector = try service.connector("stripe", ["redact": "job"])
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        func run() async throws -> StepProgress {
            try await driver.run(.init(key: "run", names: ["cus_1"]), from: kept.withLock { $0 }) { progress in
                kept.withLock { $0 = progress }
            }
        }
        #expect(await fault { _ = try await run() }?.code == "connector.refused")
        #expect(try await run().counts["erased"] == 1)
        #expect(keys.withLock { $0.count } == 2)
    }
}
