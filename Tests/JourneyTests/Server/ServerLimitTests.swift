// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("The limits of a server")
struct ServerLimitTests {
    private static let apple = """
        apple: {client-ids: [org.example.app], keys: 'http://127.0.0.1:1/keys'}
        pages: {apple-client: org.example.app, apple-authorize: 'http://apple.test/authorize'}

        """

    @Test("bodies, header fields, tokens and nesting beyond the limits are refused, and the server stays up")
    func sizes() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let large = #"{"email":"\#(String(repeating: "a", count: 1 << 20))"}"#
                let body = try await server.ask(.POST, "/auth/v1/signup", json: large)
                #expect(body.status == 413 && body.code == "request_entity_too_large", "\(body)")
                let deep = String(repeating: "{\"data\":", count: 100) + "{}" + String(repeating: "}", count: 100)
                let nested = try await server.ask(.POST, "/auth/v1/signup", json: deep)
                #expect(nested.status == 400 && nested.code == "bad_json", "\(nested)")
                let bomb = String(repeating: "[", count: 50_000)
                #expect(try await server.ask(.POST, "/auth/v1/signup", json: bomb).status == 400)
                let long = String(repeating: "a", count: 12 << 10)
                #expect(try await server.ask(.GET, "/auth/v1/user", token: long).status == 403)
                let header = try? await server.ask(.GET, "/healthz", headers: ["X-Long": String(repeating: "a", count: 64 << 10)])
                #expect(header == nil || header?.status == 431, "\(String(describing: header))")
                let many = Dictionary(uniqueKeysWithValues: (0..<200).map { ("X-\($0)", "a") })
                let fields = try? await server.ask(.GET, "/healthz", headers: many)
                #expect(fields?.status == 431)
                try await eventually { try await server.ask(.GET, "/readyz").status == 200 }
            }
        }
    }

    @Test("a preference without a word and a forged state are skipped or refused, and the server stays up")
    func illWritten() async throws {
        try await ErasurePlace.with(.sqlite, people: 2) { place in
            try await place.place.serving(Self.apple + place.settings()) { server in
                let jar = Guarded(CookieJar(cookies: ["farewell-visit": "v", "__Host-farewell-visit": "v"]))
                for end in [Int64.max, .min] {
                    let fields = ["state": "account.\(end).r.x", "id_token": "x"]
                    let checked = try await jar.send(server, "/account/apple/check", fields)
                    #expect(checked.status == 403, "\(checked)")
                    #expect(try await server.ask(.GET, "/healthz").status == 200)
                }
                let mine = try await place.signIn(0, server)
                for preference in [",", ";", "=;=,wait="] {
                    let asked = try await server.ask(
                        .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "k", "Prefer": preference])
                    #expect([200, 202].contains(asked.status), "\(preference): \(asked)")
                    #expect(asked.headers["Preference-Applied"].isEmpty, "\(preference)")
                    #expect(try await server.ask(.GET, "/healthz").status == 200)
                }
            }
        }
    }

    @Test("absurd fields, cookies, queries and members crash no server, at no route")
    func hostileFields() async throws {
        try await ErasurePlace.with(.sqlite, people: 2) { place in
            let settings = Self.apple + place.settings("grace-days: 1").replacing("wait: 180", with: "wait: 1")
            try await place.place.serving(settings.replacing("tries:", with: "anonymous: allowed, tries:")) { server in
                let key = place.place.state.appendingPathComponent("service.key").path
                let end = try await Python.run(
                    "Interop/hostile_fields.py", ["127.0.0.1", "\(server.port)", "--key", key])
                let told = (try? String(contentsOf: place.place.log, encoding: .utf8)) ?? ""
                #expect(end.status == 0, "\(end); the server's log ends with:\n\(told.suffix(2_000))")
            }
        }
    }

    @Test(
        "a malformed request is refused in words, and nothing follows the last answer",
        arguments: [
            ("NONSENSE\r\n\r\n", 400, "bad_request"), ("\u{16}\u{3}\u{1}", 400, "bad_request"),
            ("BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "bad_request"),
            ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400, "bad_request"),
            (
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 90_000))\r\n\r\n", 431,
                "request_header_fields_too_large"
            ),
            (
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 20_000))\r\n\r\nGET / HTTP/1.1\r\n", 431,
                "request_header_fields_too_large"
            ),
            ("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad_request"),
            ("OPTIONS /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad_request"),
            ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\nConnection: close\r\n\r\n", 400, "bad_request"),
            ("GET /healthz HTTP/1.0\r\nHost: localhost\r\nHost: y\r\n\r\n", 400, "bad_request"),
            ("POST /auth/v1/signup HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad_request"),
            (
                "POST /auth/v1/signup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n{\"a\":", 413,
                "request_entity_too_large"
            ),
        ])
    func unreadable(_ request: String, _ status: Int, _ code: String) async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous + "log: {format: json}\n") { server in
                let answer = try await Python.run("Interop/ask_raw.py", ["127.0.0.1", "\(server.port)"], input: request)
                let parts = answer.output.replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1)
                #expect(answer.output.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                let fields = answer.output.lowercased()
                #expect(fields.contains("x-request-id: ") && fields.contains("x-frame-options: deny"), "\(answer)")
                let body = try #require(parts.last.map { Data($0.utf8) })
                let told = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any], "\(answer)")
                #expect(told["code"] as? Int == status && told["error_code"] as? String == code, "\(told)")
                let lines = answer.output.replacing("\r\n", with: "\n").split(separator: "\n")
                let name = try #require(lines.first { $0.lowercased().hasPrefix("x-request-id: ") }?.dropFirst(14))
                try await eventually {
                    let log = try String(contentsOf: place.log, encoding: .utf8).split(separator: "\n")
                    return log.contains { $0.contains("answered") && $0.contains(name) && $0.contains("\(status)") }
                }
            }
        }
    }

    @Test(
        "a method that a path lacks is refused with the allowed methods, however unusual it is",
        arguments: ["TRACE", "QUERY", "PROPFIND", "LOCK", "M-SEARCH", "CONNECT"])
    func methods(_ method: String) async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let input = "\(method) /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                let answer = try await Python.run("Interop/ask_raw.py", ["127.0.0.1", "\(server.port)"], input: input)
                #expect(answer.output.hasPrefix("HTTP/1.1 405 "), "\(answer)")
                #expect(answer.output.lowercased().contains("\r\nallow: get, head, options\r\n"), "\(answer)")
                let unknown = try await Python.run(
                    "Interop/ask_raw.py", ["127.0.0.1", "\(server.port)"], input: input.replacing("/healthz", with: "/nowhere"))
                #expect(unknown.output.hasPrefix("HTTP/1.1 404 "), "\(unknown)")
            }
        }
    }

    @Test(
        "a connection ends with the request that announces its close, in any spelling",
        arguments: [
            "GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: te, close\r\nTE: trailers\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABk\r\n\r\n",
        ])
    func last(_ request: String) async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                // Later input gets no answer; the reader waits for the end of the connection.
                let input = request + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let answer = try await Python.run("Interop/ask_raw.py", ["127.0.0.1", "\(server.port)"], input: input)
                #expect(answer.status == 0 && answer.output.hasPrefix("HTTP/1.1 200 "), "\(answer)")
                #expect(answer.output.split(separator: "HTTP/1.1 ").count == 1, "\(answer)")
                #expect(answer.output.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
            }
        }
    }

    @Test("a client that waits for 100 Continue gets it once the body is wanted, and a refusal without it")
    func awaited() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let settings = "limits: {request-timeout: 120, calls-per-address: 2, burst-per-address: 2, window: 3000}\n"
            try await place.serving(settings) { server in
                let end = try await Python.run("Interop/wait_to_be_asked.py", ["127.0.0.1", "\(server.port)"])
                #expect(end.status == 0, "\(end)")
            }
        }
    }

    @Test("slow clients and 10,000 idle connections take nothing from the others")
    func connections() async throws {
        let settings = ServerPlace.generous.replacing("request-timeout: 120", with: "request-timeout: 3, idle-timeout: 60")
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(settings) { server in
                let end = try await Python.run("Interop/hold_connections.py", ["127.0.0.1", "\(server.port)", "10000", "60"])
                #expect(end.status == 0, "\(end)")
                try await eventually { try await server.ask(.GET, "/readyz").status == 200 }
            }
        }
    }

    /// More revocations than the systems of both sides buffer for an unread connection.
    private static let revocations = SQLStatement(
        """
        INSERT INTO auth_revocations (feed_cursor, session_id, subject, reason, revoked_at)
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 40000)
        SELECT number, '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'signed-out', $1 FROM numbers
        """, [.timestamp(Date())])

    @Test("a client that requests much and reads nothing is disconnected, costs little memory, and takes nothing from the others")
    func unread() async throws {
        let settings = ServerPlace.generous.replacing("request-timeout: 120", with: "request-timeout: 120, idle-timeout: 10")
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(settings) { server in
                let database = try openDatabase(place.address)
                _ = try await database.withConnection { try await $0.run(Self.revocations) }
                await database.close()
                let here = ["127.0.0.1", "\(server.port)", "\(server.process.value)"]
                let end = try await Python.run("Interop/read_nothing.py", here + [server.followerKey()])
                #expect(end.status == 0, "\(end)")
                try await eventually {
                    try String(contentsOf: place.log, encoding: .utf8).contains("closed the connection of a reader")
                }
            }
        }
    }

    @Test(
        "with few file descriptors the server accepts as many connections as it can serve, and stays up",
        arguments: ["ulimit -S -n 100", "ulimit -n 100"])
    func files(_ limit: String) async throws {
        let settings = ServerPlace.generous.replacing("request-timeout: 120", with: "request-timeout: 2, idle-timeout: 6")
        try await ServerPlace.with(.sqlite) { place in
            let status = try await place.serving(settings, before: limit) { server in
                let end = try await Python.run("Interop/hold_connections.py", ["127.0.0.1", "\(server.port)", "150", "6"])
                #expect(end.status == 0, "\(end)")
                #expect(try await server.ask(.GET, "/readyz").status == 200)
            }
            #expect(status == 0)
            let log = try String(contentsOf: place.log, encoding: .utf8)
            #expect(log.contains("fewer open files") == (limit == "ulimit -n 100"), "\(log)")
        }
    }

    @Test("Item 36: too many calls from an address get 429 with the time of the next try; a deletion is never limited")
    func addresses() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let settings =
                try await place.offeringMetrics() + """
                    http: {client-address-field: X-Forwarded-For}
                    limits: {calls-per-address: 1, burst-per-address: 3, window: 300}
                    """
            try await place.serving(settings) { server in
                func refresh(_ address: String) async throws -> ServerAnswer {
                    try await server.ask(
                        .POST, "/auth/v1/token?grant_type=refresh_token", json: #"{"refresh_token":"x"}"#,
                        headers: ["X-Forwarded-For": address])
                }
                for _ in 0..<3 { #expect(try await refresh("192.0.2.1").status == 400) }
                let refused = try await refresh("192.0.2.1")
                #expect(refused.status == 429 && refused.code == "over_request_rate_limit", "\(refused)")
                #expect((refused.headers["Retry-After"].first.flatMap(Int.init) ?? 0) > 100)
                #expect(try await refresh("192.0.2.2").status == 400)
                #expect(try await refresh("192.0.2.2, 192.0.2.1").status == 429, "only the proxy's own word counts")
                for port in [4711, 4712] {
                    #expect(try await refresh("192.0.2.1:\(port)").status == 429, "another port makes no other caller")
                    #expect(try await refresh("[::ffff:192.0.2.1]:\(port)").status == 429)
                }
                for _ in 0..<20 {
                    let out = try await server.ask(
                        .POST, "/v1/sign-out", json: #"{"ticket":"x"}"#, headers: ["X-Forwarded-For": "192.0.2.1"])
                    #expect(out.status == 200)
                }
                let metrics = try await server.metrics()
                #expect(metrics.text.contains("farewell_rate_limited_total{by=\"address\"} 6"), "\(metrics.text)")
            }
        }
    }

    @Test("Item 36: too many password attempts for one account get 429, whether it exists or not", arguments: SQLDialect.allCases)
    func accounts(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let settings = ServerPlace.generous.replacing("100000", with: "3")
            try await place.serving(settings) { server in
                let mine = try await server.person()
                for email in [mine.email, "nobody@example.org"] {
                    var statuses: [Int] = []
                    for _ in 0..<5 {
                        let answer = try await server.ask(
                            .POST, "/auth/v1/token?grant_type=password", json: #"{"email":"\#(email)","password":"wrong wrong"}"#)
                        statuses.append(answer.status)
                        #expect(answer.status != 429 || answer.headers["Retry-After"].first != nil)
                    }
                    #expect(statuses == [400, 400, 400, 429, 429], "\(statuses)")
                }
            }
        }
    }
}
