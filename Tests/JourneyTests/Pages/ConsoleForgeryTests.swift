// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("The console stays closed")
struct ConsoleForgeryTests {
    /// Pages of a real server, with the token of the form on each.
    private static let pages = ["/console", "/account", "/account/delete", "/account/sign-out?scope=global"]

    /// A session that a stranger would like to have, until the year 2100.
    private static let wish = "4102444800.operate.x.y"

    @Test("SRV-01 no page issues a console cookie, whatever a stranger's cookies contain", arguments: SQLDialect.allCases)
    func forged(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 1) { place in
            try await place.place.serving(place.settings()) { server in
                let session = try await place.signIn(0, server).access
                var forms = 0
                for page in Self.pages {
                    // The two fields of a form's token, as the cookies of a stranger and as those of a person.
                    for own in ["farewell-console=\(Self.wish)", "farewell-session=\(Self.wish)", "farewell-session=\(session)"] {
                        let cookies = "farewell-visit=console; \(own)"
                        let shown = try await server.ask(.GET, page, headers: ["Cookie": cookies])
                        // Not each of them has a form: some lead on, and one only shows the signed-in user.
                        guard let token = Self.form(shown.text) else { continue }
                        forms += 1
                        for cookie in ["\(Self.wish).\(token)", token, "\(Self.wish).\(token).\(token)"] {
                            try await Self.expectClosed(server, cookie, form: token)
                        }
                    }
                }
                #expect(forms >= 8)
                let keys = [try server.serviceKey(), try server.followerKey(), session]
                for key in keys { try await Self.expectClosed(server, key, form: key) }
            }
        }
    }

    private static func expectClosed(_ server: RunningServer, _ cookie: String, form: String) async throws {
        let headers = ["Cookie": "farewell-visit=console; farewell-console=\(cookie)"]
        let console = try await server.ask(.GET, "/console", headers: headers)
        #expect(!console.text.contains("Dead letters") && console.text.contains("consoleSignIn"), "\(cookie)")
        let shown = Self.form(console.text) ?? ""
        for token in [form, shown] {
            let fields = [
                "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded",
            ].merging(headers) { $1 }
            let body = "form=\(token)&id=\(UUID().uuidString)&reason=x"
            let held = try await server.send("/console/hold", body, fields)
            #expect([303, 403].contains(held.status) && held.headers["location"].allSatisfy { $0 == "/console" }, "\(held)")
        }
    }

    private static func form(_ page: String) -> String? {
        page.firstMatch(of: #/name="form" value="([^"]*)"/#).map { String($0.1) }
    }

    @Test(
        "SRV-04 a real server answers 421 to any other host, at its pages, its console and its API",
        arguments: [
            ("evil.example", 421), ("evil.example:PORT", 421), ("localhost.evil.example", 421), ("localhost@evil.example", 421),
            ("127.0.0.2", 421), ("", 421), ("localhost:PORT", 200), ("LOCALHOST.:PORT", 200), ("[::1]:PORT", 200), ("127.0.0.1", 200),
        ])
    func hosts(_ host: String, _ status: Int) async throws {
        try await ErasurePlace.with(.sqlite, people: 1) { place in
            try await place.place.serving(place.settings()) { server in
                let host = host.replacing("PORT", with: "\(server.port)")
                for path in ["/console", "/account", "/auth/v1/settings", "/openapi.json", "/account/style.css"] {
                    let answer = try await Self.raw(server, "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n")
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(answer.prefix(300))")
                    // The description of the API names the code itself.
                    let isRefused = answer.contains("misdirected_request") && !answer.contains("x-error-codes")
                    #expect(isRefused == (status == 421), "\(path): \(answer.prefix(300))")
                    let whole = try await Self.raw(server, "GET http://\(host)\(path) HTTP/1.1\r\nHost: localhost\r\n")
                    #expect(host.isEmpty || whole.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(whole.prefix(300))")
                }
                let nowhere = try await Self.raw(server, "GET /nowhere HTTP/1.1\r\nHost: \(host)\r\n")
                #expect(nowhere.hasPrefix("HTTP/1.1 \(status == 200 ? 404 : 421) "), "\(nowhere.prefix(300))")
                for path in ["/healthz", "/readyz"] {
                    let answer = try await Self.raw(server, "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n")
                    #expect(answer.hasPrefix("HTTP/1.1 200 "), "probes call by an address: \(answer.prefix(300))")
                }
                let two = try await Self.raw(server, "GET /console HTTP/1.1\r\nHost: localhost\r\nHost: \(host)\r\n")
                #expect(two.hasPrefix("HTTP/1.1 400 "), "\(two.prefix(300))")
            }
        }
    }

    private static func raw(_ server: RunningServer, _ head: String) async throws -> String {
        let request = head + "Connection: close\r\n\r\n"
        return try await Python.run("Interop/ask_raw.py", ["127.0.0.1", "\(server.port)"], input: request).output
    }

    @Test("SRV-06 a real server has /metrics only on the operators' own address, and refuses a taken port")
    func metrics() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let metrics = try await server.ask(.GET, "/metrics")
                #expect(metrics.status == 404, "without a port there is none")
            }
            let settings = try await place.offeringMetrics()
            try await place.serving(settings + ServerPlace.generous) { server in
                #expect(try await server.ask(.GET, "/metrics").status == 404)
                let answer = try await server.metrics()
                #expect(answer.status == 200 && answer.text.contains("farewell_http_requests_total"), "\(answer)")
                #expect(answer.headers["access-control-allow-origin"].isEmpty)
                try Data(settings.utf8).write(to: place.folder.appendingPathComponent("taken.yaml"))
                let end = try await place.call(["serve", "--settings", "taken.yaml", "--port", "0", "--state", "other"])
                #expect(end.status == 2 && end.errors.contains("operations.port"), "\(end)")
            }
            try await place.serving(ServerPlace.generous + "http: {openapi: 'off'}\n") { server in
                let description = try await server.ask(.GET, "/openapi.json")
                #expect(description.status == 404)
            }
        }
    }
}
