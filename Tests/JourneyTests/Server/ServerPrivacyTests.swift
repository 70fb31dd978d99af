// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("The log of a server")
struct ServerPrivacyTests {
    @Test("Item 53: no token, address, password or body is in a log, a metric or an error", arguments: ["text", "json"])
    func canaries(_ format: String) async throws {
        try await ServerPlace.with(.sqlite) { place in
            let settings = try await place.offeringMetrics() + ServerPlace.generous + "log: {level: trace, format: \(format)}\n"
            let told = Guarded<[String]>([])
            let secrets = Guarded<[String]>([])
            try await place.serving(settings) { server in
                let mine = try await server.person("canary-\(UUID().uuidString.lowercased())@example.org")
                let refreshed = try await server.refresh(mine.refresh)
                let next = try #require(SignedIn(refreshed, email: mine.email))
                let bad = try await server.ask(
                    .POST, "/auth/v1/token?grant_type=password&apikey=canary-key",
                    json: #"{"email":"\#(mine.email)","password":"canary-password"}"#)
                let change = try await server.ask(
                    .PUT, "/auth/v1/user", token: next.access, json: #"{"data":{"note":"canary-data"},"nonce":"canary-nonce"}"#)
                let out = try await server.ask(.POST, "/v1/sign-out", json: #"{"ticket":"\#(next.ticket)"}"#)
                let gone = try await server.ask(.GET, "/auth/v1/user", token: next.access)
                let broken = try await server.ask(.POST, "/auth/v1/signup", json: #"{"email":"canary-broken"#)
                let path = try await server.ask(.GET, "/canary-path?canary-query=1")
                let metrics = try await server.metrics()
                #expect([bad, change, out, gone, broken, path].map(\.status) == [400, 200, 200, 403, 400, 404])
                told.withLock { $0 = [bad, out, gone, broken, path, metrics].map(\.text) }
                let keys = [try server.serviceKey(), try server.followerKey()]
                secrets.withLock {
                    $0 = [mine.email, SignedIn.password, mine.access, mine.refresh, mine.ticket, next.access, next.refresh] + keys
                }
            }
            let log = try String(contentsOf: place.log, encoding: .utf8)
            #expect(log.contains("answered") && log.split(separator: "\n").count > 10)
            for text in told.withLock({ $0 }) + [log] {
                #expect(!text.contains("canary"))
                for secret in secrets.withLock({ $0 }) { #expect(!text.contains(secret)) }
            }
        }
    }

    @Test("the log line, the answer and the metrics describe the same request")
    func correlation() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(try await place.offeringMetrics() + "log: {format: json}") { server in
                let trace = String(repeating: "0af7651916cd43dd", count: 2)
                let headers = ["X-Request-Id": "call-42", "traceparent": "00-\(trace)-b7ad6b7169203331-01"]
                let answer = try await server.ask(.GET, "/auth/v1/user", headers: headers)
                #expect(answer.status == 401 && answer.headers["X-Request-Id"].first == "call-42")
                let none = try await server.ask(.GET, "/nowhere-at-all", headers: ["X-Request-Id": "call-404"])
                let method = try await server.ask(.DELETE, "/healthz", headers: ["X-Request-Id": "call-405"])
                #expect((none.status, method.status) == (404, 405))
                let metrics = try await server.metrics().text
                for (method, status) in [("GET", 404), ("DELETE", 405)] {
                    let count = #"farewell_http_requests_total{method="\#(method)",route="none",status="\#(status)"} 1"#
                    #expect(metrics.contains(count), "\(metrics)")
                }
                #expect(
                    metrics.contains(
                        #"farewell_http_requests_total{method="GET",route="/auth/v1/user",status="401"} 1"#), "\(metrics)")
                #expect(metrics.contains(#"farewell_refusals_total{code="no_authorization"} 1"#))
                #expect(metrics.contains(#"farewell_http_request_duration_seconds_count{route="/auth/v1/user"} 1"#))
                // No call waits until its lines are written.
                var lines: [[String: String]] = []
                try await eventually {
                    lines = try String(contentsOf: place.log, encoding: .utf8).split(separator: "\n").compactMap {
                        (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: String]
                    }
                    return ["call-42", "call-404", "call-405"].allSatisfy { id in
                        lines.contains { $0["request"] == id && $0["message"] == "answered" }
                    }
                }
                let line = lines.first { $0["request"] == "call-42" && $0["message"] == "answered" }
                #expect(line?["trace"] == trace && line?["status"] == "401" && line?["route"] == "/auth/v1/user")
                for (id, status) in [("call-404", "404"), ("call-405", "405")] {
                    let told = lines.filter { $0["request"] == id }
                    #expect(told.compactMap { $0["message"] } == ["refused", "answered"] && told.last?["status"] == status, "\(told)")
                    #expect(told.allSatisfy { $0["hb.request.id"] == nil } && told.last?["route"] == "none", "\(told)")
                }
                #expect(!lines.description.contains("nowhere-at-all"), "what does not exist may be anything")
            }
        }
    }

    @Test("Item 59: the log records sign-ins, sign-outs, refusals and password changes, by session and never by name")
    func securityEvents() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let seen = Guarded<[SignedIn]>([])
            try await place.serving(ServerPlace.generous + "log: {format: json}\n") { server in
                let mine = try await server.person()
                let phone = try await server.signIn(mine.email)
                _ = try await server.ask(
                    .POST, "/auth/v1/token?grant_type=password", json: #"{"email":"\#(mine.email)","password":"wrong wrong"}"#)
                let new = #"{"password":"another \#(SignedIn.password)"}"#
                #expect(try await server.ask(.PUT, "/auth/v1/user", token: mine.access, json: new).status == 200)
                let other = try await server.person()
                #expect(try await server.ask(.POST, "/auth/v1/logout?scope=others", token: mine.access).status == 204)
                for ticket in ["nothing", mine.ticket, mine.ticket] {
                    #expect(try await server.ask(.POST, "/v1/sign-out", json: #"{"ticket":"\#(ticket)"}"#).status == 200)
                }
                #expect(try await server.ask(.DELETE, "/v1/sessions/\(other.session)", token: other.access).status == 204)
                seen.withLock { $0 = [mine, phone, other] }
            }
            let lines = try String(contentsOf: place.log, encoding: .utf8).split(separator: "\n").compactMap {
                (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: String]
            }
            func told(_ message: String) -> [String] {
                lines.filter { $0["message"] == message && $0["request"] != nil }.map { line in
                    [line["session"], line["method"], line["scope"], line["code"]].compactMap(\.self).joined(separator: " ")
                }
            }
            let (mine, phone, other) = seen.withLock { ($0[0], $0[1], $0[2]) }
            #expect(told("signed in") == ["\(mine.session) sign-up", "\(phone.session) password", "\(other.session) sign-up"])
            #expect(told("refused") == ["invalid_credentials"])
            #expect(told("password changed") == [mine.session])
            #expect(told("signed out") == ["\(mine.session) others"])
            #expect(told("signed out by ticket") == ["\(mine.session) local"])
            #expect(told("session ended") == [other.session])
            #expect(!lines.description.contains(mine.email))
        }
    }
}
