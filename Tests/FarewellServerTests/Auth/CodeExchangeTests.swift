// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
@testable import FarewellSessions
import Foundation
import HTTPTypes
import Testing

@Suite("Links for apps with PKCE")
struct CodeExchangeTests {
    /// Keeps mails.
    private final class Mails: MailSending {
        private let kept = Guarded<[Mail]>([])

        var sent: [Mail] { kept.withLock { $0 } }

        func send(_ mail: Mail) async throws { kept.withLock { $0.append(mail) } }
    }

    private static let verifier = String(repeating: "verifier-", count: 6)
    private static let challenge = CodeChallenge(ofVerifier: verifier).text
    private static let exchange = "/auth/v1/token?grant_type=pkce"

    /// The mail of a recovery that a client with PKCE requests.
    private static func mail(_ mount: ErasureMount, _ mails: Mails, to target: String?) async throws -> Mail {
        let person = try await mount.person()
        let query = target.map { "?redirect_to=" + FormFields.written($0) } ?? ""
        let body = #"{"email":"\#(person.email)","code_challenge":"\#(challenge)","code_challenge_method":"s256"}"#
        let asked = try await mount.ask(.post, "/auth/v1/recover" + query, json: body)
        #expect(asked.status == 200, "\(asked)")
        try await mount.server.authority.deliverMail(by: mails)
        return try #require(mails.sent.last)
    }

    private static func code(of answer: ErasureMount.Answer, at target: String) throws -> String {
        let location = try #require(answer.headers[.location])
        #expect(answer.status == 303 && location.hasPrefix(target + "code=") && !location.contains("#"), "\(location)")
        return String(location.dropFirst((target + "code=").count))
    }

    private static func exchanged(_ mount: ErasureMount, _ code: String, _ verifier: String) async throws -> ErasureMount.Answer {
        try await mount.ask(.post, exchange, json: #"{"auth_code":"\#(code)","code_verifier":"\#(verifier)"}"#)
    }

    @Test("SC-3 the button of the page leads to the app with a code, signs in no browser, and the policy lets forms lead there")
    func page() async throws {
        let mails = Mails()
        try await ErasureMount.with(mail: mails, pages: PageSettings()) { mount in
            let target = "https://auth.example/welcome?from=mail"
            let mail = try await Self.mail(mount, mails, to: target)
            let link = try #require(MailLanding.page(LinkPages.path).link(of: mail, site: ""))
            let page = try await mount.ask(.get, link)
            #expect(page.text.contains("https://auth.example/welcome?from"), "\(page)")
            #expect(page.headers[.contentSecurityPolicy]?.contains("form-action 'self' https:;") == true)
            let body = String(try #require(link.split(separator: "?", maxSplits: 1).last))
            let own = ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"]
            let used = try await mount.ask(.post, LinkPages.path, json: body, own)
            #expect(used.headers[values: .setCookie].isEmpty, "\(used)")
            let code = try Self.code(of: used, at: target + "&")
            #expect(try await mount.ask(.post, LinkPages.path, json: body, own).status == 400, "once")
            let wrong = try await Self.exchanged(mount, code, Self.challenge)
            #expect(wrong.status == 400 && wrong.code == "bad_code_verifier")
            let session = try await Self.exchanged(mount, code, Self.verifier)
            #expect(session.status == 200 && session.json["refresh_token"] is String, "\(session)")
            let token = try #require(session.json["access_token"] as? String)
            #expect(try await mount.isAccepted(token))
            let again = try await Self.exchanged(mount, code, Self.verifier)
            #expect(again.status == 404 && again.code == "flow_state_not_found")
        }
    }

    @Test("SC-3 the contract's link leads to the app with a code, and to no address that the settings do not name")
    func contract() async throws {
        let mails = Mails()
        try await ErasureMount.with(mail: mails) { mount in
            for (wanted, target) in [
                (nil, "https://auth.example?"), ("https://auth.example/a?code=planted&x=1", "https://auth.example/a?x=1&"),
                ("https://evil.example/", "https://auth.example?"),
            ] as [(String?, String)] {
                let mail = try await Self.mail(mount, mails, to: wanted)
                let link = try #require(MailLanding.verification("/auth/v1").link(of: mail, site: "https://auth.example"))
                let code = try Self.code(of: try await mount.ask(.get, link), at: target)
                #expect(try await Self.exchanged(mount, code, Self.verifier).status == 200)
            }
            // A client without PKCE gets its session in the fragment, at the site.
            let person = try await mount.person()
            _ = try await mount.ask(
                .post, "/auth/v1/recover?redirect_to=https://auth.example/a", json: #"{"email":"\#(person.email)","code_challenge":null}"#)
            try await mount.server.authority.deliverMail(by: mails)
            let mail = try #require(mails.sent.last)
            let link = try #require(MailLanding.verification("/auth/v1").link(of: mail, site: "https://auth.example"))
            let answer = try await mount.ask(.get, link)
            #expect(answer.headers[.location]?.hasPrefix("https://auth.example#access_token=") == true, "\(answer)")
        }
    }

    @Test("bad challenges and exchanges get the contract's refusals, whichever call brings them")
    func refusals() async throws {
        let mails = Mails()
        try await ErasureMount.with(mail: mails) { mount in
            let person = try await mount.person()
            let bad = [
                #""code_challenge":"\#(Self.challenge)""#, #""code_challenge_method":"s256""#,
                #""code_challenge":"short","code_challenge_method":"s256""#,
                #""code_challenge":"\#(Self.challenge)","code_challenge_method":"s512""#,
                #""code_challenge":"\#(Self.challenge)/","code_challenge_method":"plain""#,
            ]
            let calls: [(HTTPRequest.Method, String, String)] = [
                (.post, "signup", #""email":"new@example.org","password":"correct horse battery""#),
                (.post, "recover", #""email":"\#(person.email)""#),
                (.post, "resend", #""type":"signup","email":"\#(person.email)""#), (.put, "user", #""email":"new@example.org""#),
            ]
            for (method, path, members) in calls {
                for more in bad {
                    let token = method == .put ? person.token : nil
                    let answer = try await mount.ask(method, "/auth/v1/" + path, token: token, json: "{\(members),\(more)}")
                    #expect(answer.status == 400 && answer.code == "validation_failed", "\(path) \(more): \(answer)")
                }
            }
            let long = "/auth/v1/recover?redirect_to=https://auth.example/" + String(repeating: "a", count: 640)
            let challenged = #"{"email":"\#(person.email)","code_challenge":"\#(Self.challenge)","code_challenge_method":"s256"}"#
            #expect(try await mount.ask(.post, long, json: challenged).code == "validation_failed")
            try await mount.server.authority.deliverMail(by: mails)
            #expect(mails.sent.isEmpty)
            for (body, status, code) in [
                ("{}", 400, "validation_failed"), (#"{"auth_code":"x"}"#, 400, "validation_failed"),
                (#"{"auth_code":"","code_verifier":"x"}"#, 400, "validation_failed"),
                (#"{"auth_code":1,"code_verifier":"x"}"#, 400, "bad_json"), ("x", 400, "bad_json"),
                (#"{"auth_code":"x","code_verifier":"x"}"#, 404, "flow_state_not_found"),
                (#"{"auth_code":"\#(String(repeating: "x", count: 60_000))","code_verifier":"x"}"#, 404, "flow_state_not_found"),
                (#"{"auth_code":"x","code_verifier":"\#(String(repeating: "x", count: 70_000))"}"#, 413, "request_entity_too_large"),
            ] {
                let answer = try await mount.ask(.post, Self.exchange, json: body)
                #expect(answer.status == status && answer.code == code, "\(body.prefix(60)): \(answer)")
            }
        }
    }
}
