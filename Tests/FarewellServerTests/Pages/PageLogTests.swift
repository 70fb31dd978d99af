// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import HTTPTypes
import Logging
import Testing

@Suite("The log lines and counters of the pages")
struct PageLogTests {
    private let lines = Guarded<[String]>([])

    private var log: Logger {
        Logger(label: "test") { [lines] _ in
            ServerLog(.json, level: .info) { line in lines.withLock { $0.append(line) } }
        }
    }

    private func told(_ parts: String...) -> Int {
        lines.withLock { lines in lines.count { line in parts.allSatisfy { line.contains($0) } } }
    }

    private func expectRefusals(_ number: Int, _ code: String, _ mount: ErasureMount) {
        #expect(told("\"refused\"", "\"\(code)\"") == number, "\(code)")
        let counted = "farewell_refusals_total{code=\"\(code)\"} \(number)\n"
        #expect(mount.server.registry?.exposition.contains(counted) == true, "\(code)")
    }

    @Test("SC-3 SC-4 sign-ins, refusals, sign-outs and ended sessions of pages are logged and counted as over the API")
    func pages() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings(), log: log) { mount in
            let anna = try await mount.person()
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/account")
            for _ in 1...3 {
                let wrong = try await browser.send("/account/sign-in", ["email": anna.email, "password": "wrong horse battery"])
                #expect(wrong.status == 400, "\(wrong)")
            }
            expectRefusals(3, "invalid_credentials", mount)
            _ = try await browser.send("/account/code/check", ["email": anna.email, "code": "123456"])
            expectRefusals(1, "otp_expired", mount)
            let link = try await mount.ask(
                .post, LinkPages.path, json: "type=recovery&token=x",
                ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"])
            #expect(link.status == 400, "\(link)")
            expectRefusals(2, "otp_expired", mount)

            _ = try await browser.open("/account")
            #expect(told("\"signed in\"", "\"password\"") == 0)
            let right = try await browser.send("/account/sign-in", ["email": anna.email, "password": ErasureMount.password])
            #expect(right.status == 303, "\(right)")
            #expect(told("\"signed in\"", "\"session\"", "\"password\"") == 1)

            let list = try await mount.ask(.get, "/v1/sessions", token: anna.token)
            let sessions = try #require(list.json["sessions"] as? [[String: Any]], "\(list)")
            let other = try #require(sessions.first { $0["is_current"] as? Bool == true }?["id"] as? String)
            _ = try await browser.open("/account")
            _ = try await browser.send("/account/sessions/end", ["session": other])
            #expect(told("\"session ended\"", other) == 1)
            _ = try await browser.open("/account")
            _ = try await browser.send("/account/sessions/end", ["session": UUID().uuidString.lowercased()])
            #expect(told("\"session ended\"") == 1)
            expectRefusals(1, "session_not_found", mount)

            _ = try await browser.open("/account/sign-out?scope=global")
            #expect(try await browser.send("/account/sign-out", ["scope": "global"]).status == 303)
            #expect(told("\"signed out\"", "\"session\"", "\"global\"") == 1)
            #expect(told(anna.email) == 0 && told(ErasureMount.password) == 0)
        }
    }

    @Test("SC-4 a token that opens no console is logged and counted as a refusal")
    func console() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings(), log: log) { mount in
            let anna = try await mount.person()
            for (token, code) in [("nonsense", "bad_jwt"), (anna.token, "not_admin")] {
                var browser = MountedBrowser(mount: mount)
                _ = try await browser.open("/console")
                let answer = try await browser.send("/console/sign-in", ["token": token])
                #expect(answer.status == 403, "\(answer)")
                expectRefusals(1, code, mount)
                #expect(told(token) == 0)
            }
        }
    }
}
