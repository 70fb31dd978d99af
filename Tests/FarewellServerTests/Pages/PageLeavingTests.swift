// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
@testable import FarewellServer
import Foundation
import HTTPTypes
import Testing

@Suite("Leaving by the pages")
struct PageLeavingTests {
    @Test("Item 40: signed out, and when a deletion is over, the browser is told to forget what it keeps of the pages")
    func cleared() async throws {
        try await ErasureMount.with(pages: PageSettings()) { mount in
            let anna = try await mount.person()
            var browser = Browser(mount: mount)
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

    private func expectCleared(_ answer: ErasureMount.Answer, _ browser: Browser) {
        #expect(answer.status == 303, "\(answer)")
        #expect(answer.headers[.clearSiteData] == "\"cache\"")
        #expect(answer.headers[.cacheControl]?.contains("no-store") == true)
        #expect(browser.cookies["__Host-farewell-session"] == nil)
        #expect(browser.cookies["__Host-farewell-visit"] == nil)
    }
}

/// Keeps cookies, and fills in the form of the page that it shows.
private struct Browser {
    let mount: ErasureMount
    var cookies: [String: String] = [:]
    private var form = ""

    init(mount: ErasureMount) { self.mount = mount }

    mutating func open(_ path: String) async throws -> ErasureMount.Answer {
        take(try await mount.ask(.get, path, ["Cookie": cookieField]))
    }

    mutating func send(_ path: String, _ values: [String: String]) async throws -> ErasureMount.Answer {
        let body = values.merging(["form": form]) { $1 }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        return take(
            try await mount.ask(
                .post, path, json: body,
                ["Cookie": cookieField, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"]))
    }

    private var cookieField: String { cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }

    private mutating func take(_ answer: ErasureMount.Answer) -> ErasureMount.Answer {
        for field in answer.headers[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else { continue }
            cookies[pair[0]] = pair[1].isEmpty ? nil : pair[1]
        }
        if let found = answer.text.firstMatch(of: #/name="form" value="([^"]*)"/#) { form = String(found.1) }
        return answer
    }
}
