// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import FarewellSessions
import Foundation
import HTTPTypes
import Testing

@Suite("The page behind a mail's link")
struct LinkPageTests {
    /// Keeps mails.
    private final class Mails: MailSending {
        private let kept = Guarded<[Mail]>([])

        var sent: [Mail] { kept.withLock { $0 } }

        func send(_ mail: Mail) async throws { kept.withLock { $0.append(mail) } }
    }

    private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

    private static func link(_ mail: Mail) throws -> String {
        let link = try #require(MailLanding.page("https://auth.example" + LinkPages.path).link(of: mail, site: ""))
        return link.replacing("https://auth.example", with: "")
    }

    @Test("SC-3 opening a mail's link uses nothing up, however often; its button does so, once, in any browser")
    func landing() async throws {
        let mails = Mails()
        try await ErasureMount.with(mail: mails, pages: PageSettings()) { mount in
            let person = try await mount.person()
            let asked = try await mount.ask(.post, "/auth/v1/recover", json: #"{"email":"\#(person.email)"}"#)
            #expect(asked.status == 200)
            try await mount.server.authority.deliverMail(by: mails)
            let link = try Self.link(try #require(mails.sent.first))
            for method in [HTTPRequest.Method.head, .get, .get] {
                let page = try await mount.ask(method, link)
                #expect(page.status == 200 && page.headers[values: .setCookie].isEmpty, "\(page)")
                #expect(method == .head || page.text.contains("linkForm"))
            }
            let body = String(try #require(link.split(separator: "?").last))
            let foreign = try await mount.ask(.post, LinkPages.path, json: body, Self.form.merging(["Sec-Fetch-Site": "cross-site"]) { $1 })
            #expect(foreign.status == 403)
            let own = Self.form.merging(["Sec-Fetch-Site": "same-origin"]) { $1 }
            let used = try await mount.ask(.post, LinkPages.path, json: body, own)
            let cookies = used.headers[values: .setCookie]
            #expect(used.status == 303 && used.headers[.location] == "/account", "\(used)")
            #expect(cookies.contains { $0.hasPrefix("__Host-farewell-session=ey") })
            let device = try #require(cookies.first { $0.hasPrefix("__Host-farewell-device=") })
            #expect(device.contains("HttpOnly; SameSite=Strict; Secure; Max-Age=15552000"))
            #expect(try await mount.ask(.post, LinkPages.path, json: body, own).status == 400, "once")
            let other = try await mount.ask(.post, LinkPages.path, json: "type=nothing&token=x", own)
            #expect(other.status == 400 && !other.headers[values: .setCookie].contains { $0.hasPrefix("__Host-farewell-session=ey") })
        }
    }

    @Test("SC-3 the page shows an app's code for the app; an invalid link leads to the account")
    func codes() async throws {
        try await ErasureMount.with(pages: PageSettings()) { mount in
            let page = try await mount.ask(.get, LinkPages.path + "?type=reauthentication&token=a-long-code%3Cb%3E")
            #expect(page.text.contains("a-long-code&lt;b&gt;") && !page.text.contains("linkForm"), "\(page)")
            for query in ["", "?type=recovery", "?token=x", "?type=email_changed_notification&token=x", "?type=x&token=x"] {
                #expect(try await mount.ask(.get, LinkPages.path + query).headers[.location] == "/account", "\(query)")
            }
        }
    }

    @Test(
        "SC-3 every mail with a code has a link with its token, or the token where no link leads to an app",
        arguments: MailPurpose.allCases
    )
    func mails(_ purpose: MailPurpose) throws {
        let user = User(id: UUID(), audience: "authenticated", createdAt: .distantPast, updatedAt: .distantPast)
        let token = purpose.bringsCode ? "token-of-256-bits" : ""
        for digits in ["012345", ""] {
            let mail = Mail(
                id: UUID(), purpose: purpose, address: "anna@example.org", code: purpose.bringsCode ? digits : "", token: token, user: user)
            for landing in [MailLanding.page("https://id.example/account/link"), .verification("https://id.example/auth/v1")] {
                let text = MailMessage(mail, from: "a@example.net", site: "https://app", landing: landing, at: .distantPast).text
                #expect(text.contains("token-of-256-bits") == purpose.bringsCode && text.contains("https://app"))
                #expect(text.contains("012345") == (purpose.bringsCode && !digits.isEmpty))
                let isLink = landing == .page("https://id.example/account/link") || purpose != .reauthentication
                #expect((landing.link(of: mail, site: "https://app") != nil) == (isLink && purpose.bringsCode))
            }
        }
    }
}
