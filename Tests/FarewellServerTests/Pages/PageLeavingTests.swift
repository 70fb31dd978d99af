// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import HTTPTypes
import Testing

@Suite("Account deletion by the pages")
struct PageLeavingTests {
    @Test("Item 40: after a sign-out and after a deletion the server asks the browser to delete its data of the pages")
    func cleared() async throws {
        try await ErasureMount.with(pages: PageSettings()) { mount in
            let anna = try await mount.person()
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/account")
            _ = try await browser.send("/account/sign-in", ["email": anna.email, "password": ErasureMount.password])
            #expect(browser.cookies["__Host-farewell-session"] != nil)
            let shown = try await browser.open("/account")
            #expect(shown.text.contains(anna.email))
            let session = browser.cookies["__Host-farewell-session"] ?? ""
            _ = try await browser.open("/account/sign-out?scope=local")
            let out = try await browser.send("/account/sign-out", ["scope": "local"])
            expectCleared(out, browser)
            #expect(try await !mount.isAccepted(session))
            let after = try await browser.open("/account")
            #expect(!after.text.contains(anna.email))

            browser.cookies["__Host-farewell-ticket"] = "a ticket"
            expectCleared(try await browser.send("/account/delete/finish", [:]), browser)
            #expect(browser.cookies["__Host-farewell-ticket"] == nil)
        }
    }

    @Test("Item 36: a user's previews are limited, over the API and on the page together, and other users' are not")
    func previews() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/account")
            _ = try await browser.send("/account/sign-in", ["email": anna.email, "password": ErasureMount.password])
            #expect(try await browser.open("/account/delete").status == 200)
            var (seen, answer) = (0, try await mount.ask(.get, "/v1/erasures/preview", token: anna.token))
            while answer.status == 200, seen < 100 {
                seen += 1
                answer = try await mount.ask(.get, "/v1/erasures/preview", token: anna.token)
            }
            #expect(seen >= 29 && answer.status == 429, "\(seen) \(answer)")
            #expect(answer.headers[.retryAfter].flatMap { Int($0) } ?? 0 > 0, "\(answer.headers)")
            #expect(try await browser.open("/account/delete").status == 429)
            #expect(try await mount.ask(.get, "/v1/erasures/preview", token: other.token).status == 200)
        }
    }

    @Test("BX-9 a user with as much metadata as is allowed signs in to the pages: the cookie is short enough for browsers")
    func shortCookie() async throws {
        try await ErasureMount.with(pages: PageSettings()) { mount in
            let anna = try await mount.person()
            let data = #"{"data":{"bio":"\#(String(repeating: "x", count: 4_000))"}}"#
            #expect(try await mount.ask(.put, "/auth/v1/user", token: anna.token, json: data).status == 200)
            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/account")
            let entered = try await browser.send("/account/sign-in", ["email": anna.email, "password": ErasureMount.password])
            let cookies = entered.headers[values: .setCookie]
            #expect(cookies.contains { $0.hasPrefix("__Host-farewell-session=ey") })
            #expect(cookies.allSatisfy { $0.utf8.count < 2_000 }, "RFC 6265, 6.1: browsers keep 4096 bytes")
            #expect(try await browser.open("/account").text.contains(anna.email))
        }
    }

    private func expectCleared(_ answer: ErasureMount.Answer, _ browser: MountedBrowser) {
        #expect(answer.status == 303, "\(answer)")
        #expect(answer.headers[.clearSiteData] == "\"cache\"")
        #expect(answer.headers[.cacheControl]?.contains("no-store") == true)
        #expect(browser.cookies["__Host-farewell-session"] == nil)
        #expect(browser.cookies["__Host-farewell-visit"] == nil)
    }
}
