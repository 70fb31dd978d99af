// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Pauses that systems ask for in their own way", .contracts)
struct SystemPauseTests {
    private static let names = ConnectorRequest(key: "k", names: ["u1"])

    @Test("F11 RevenueCat's pause in milliseconds is not taken for seconds", arguments: [429, 423, 500])
    func milliseconds(_ status: Int) async throws {
        let kinds = [429: "rate_limit_error", 423: "resource_locked_error", 500: "server_error"]
        let body = #"{"object":"error","type":"\#(kinds[status] ?? "")","retryable":true,"backoff_ms":1500}"#
        let service = AnsweringService { _ in
            var reply = SystemReply.json(status, body)
            reply.headers["retry-after"] = "1500"
            return reply
        }
        let connector = try service.connector("revenuecat", ["project": "p"])
        do {
            _ = try await connector.verify(Self.names)
            Issue.record("An error was taken for an answer.")
        } catch let fault as ConnectorFault {
            #expect(fault.retryAfter == 1.5 && fault.isThrottling == (status == 429), "\(fault)")
        }
    }

    @Test("F11 a pause that no error can mean does not count", arguments: ["-1", "1e400", "\"soon\"", "99999999999999999999"])
    func implausible(_ pause: String) async throws {
        let service = AnsweringService { _ in
            .json(429, #"{"object":"error","type":"rate_limit_error","backoff_ms":\#(pause)}"#)
        }
        let connector = try service.connector("revenuecat", ["project": "p"])
        await #expect(throws: ConnectorFault.throttled("it")) { try await connector.verify(Self.names) }
    }

    @Test("F11 a pause in the details of Google's error is kept")
    func details() async throws {
        let details = #"[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.5s"}]"#
        let service = AnsweringService { _ in
            .json(429, #"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Wait.","details":\#(details)}}"#)
        }
        let system = SystemPlan(name: "it", kind: "firestore", settings: ["project": "p", "path": "users/{person}"])
        let connector = try FirestoreConnector(
            system, world: .hurried(service, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"]))
        await #expect(throws: ConnectorFault.throttled("it", retryAfter: 3.5)) { try await connector.verify(Self.names) }
    }

    @Test("F11 a service that asks for patience under status 400 is not called for other users meanwhile")
    func underAnotherStatus() async throws {
        let (clock, calls) = (Guarded(0.0), Guarded(0))
        let service = AnsweringService { _ in
            let call = calls.withLock {
                $0 += 1
                return $0
            }
            return call == 1
                ? .json(400, #"{"__type":"TooManyRequestsException","message":"Too many requests"}"#)
                : .json(200, #"{"Username":"u1","UserAttributes":[]}"#)
        }
        let system = SystemPlan(name: "it", kind: "cognito", settings: ["region": "eu-west-1", "pool": "eu-west-1_p"])
        let world = ConnectorWorld(
            http: service, now: { 1_800_000_000 }, uptime: { clock.withLock { $0 } },
            sleep: { pause in clock.withLock { $0 += pause / .seconds(1) } },
            environment: ["AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "s"], read: { _ in nil })
        let connector = try CognitoConnector(system, world: world)
        await #expect(throws: ConnectorFault.throttled("it")) { try await connector.count(Self.names) }
        #expect(clock.withLock { $0 } == 0)
        #expect(try await connector.count(Self.names) == 1)
        #expect(abs(clock.withLock { $0 } - 1) < 1e-6)
    }
}
