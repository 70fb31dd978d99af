// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@Suite("Refusals as pages")
struct RefusalPageTests {
    private static let browser: HTTPFields = [
        .accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", .languages: "de-AT, de;q=0.9",
        .origin: "https://app.example",
    ]

    /// A server of its own with pages, whose router refuses unknown paths.
    private func serving(
        issuer: String = ErasureMount.issuer, _ use: @Sendable (any TestClientProtocol, FarewellServer) async throws -> Void
    ) async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings(), issuer: issuer) { mount in
            let router = Router(context: ServerContext.self)
            router.add(middleware: NotFoundMiddleware(runner: mount.server.runner))
            mount.server.addRoutes(to: router)
            try await Application(router: router, logger: mount.server.log).test(.router) { client in
                try await use(client, mount.server)
            }
        }
    }

    private static func isPage(_ response: TestResponse, _ status: HTTPResponse.Status, back: String) -> Bool {
        let text = String(buffer: response.body)
        return response.status == status && response.headers[.contentType] == "text/html; charset=utf-8"
            && response.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; style-src 'self'") == true
            && response.headers[.accessControlAllowOrigin] == nil && response.headers[.setCookie] == nil
            && text.contains("<html lang=\"de\"") && text.contains("<a class=\"button plain\" href=\"\(back)\">")
    }

    @Test("DX-3 a browser at an unknown path gets a page in its language with a way back, and a program gets JSON")
    func unknown() async throws {
        try await serving { client, _ in
            let paths = [
                "/account/nowhere": "/account", "/account/export": "/account", "/console/nowhere": "/console",
                "/console/runs": "/console", "/nowhere": "/account", "/": "/account", "/account//x": "/account",
            ]
            for (path, back) in paths {
                let page = try await client.execute(uri: path, method: .get, headers: Self.browser)
                #expect(Self.isPage(page, .notFound, back: back), "\(path): \(page.status) \(String(buffer: page.body))")
                #expect(String(buffer: page.body).contains("Unter dieser Adresse gibt es keine Seite."))
                let head = try await client.execute(uri: path, method: .head, headers: Self.browser)
                #expect(head.status == .notFound && head.body.readableBytes == 0)
                for accept in [nil, "*/*", "application/json", "text/html;q=0, */*", "text/html;Q=0.000"] {
                    let headers: HTTPFields = accept.map { [.accept: $0] } ?? [:]
                    let answer = try await client.execute(uri: path, method: .get, headers: headers)
                    #expect(answer.status == .notFound && answer.headers[.errorCode] == "not_found", "\(path) \(accept ?? "-")")
                    #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
                }
            }
        }
    }

    @Test("DX-3 the paths of the interface answer JSON, whatever the caller accepts")
    func interface() async throws {
        try await serving { client, _ in
            for path in ["/auth/v1/nowhere", "/v1/nowhere", "/functions/v1/nowhere", "/me/nowhere"] {
                let answer = try await client.execute(uri: path, method: .get, headers: Self.browser)
                #expect(answer.status == .notFound && answer.headers[.errorCode] == "not_found", "\(path)")
            }
            let method = try await client.execute(uri: "/v1/sessions", method: .put, headers: Self.browser)
            #expect(method.status == .methodNotAllowed && method.headers[.errorCode] == "method_not_allowed")
        }
    }

    @Test("DX-3 a wrong method, a form that is too long and a wrong host name are refused with pages too")
    func before() async throws {
        try await serving { client, _ in
            let method = try await client.execute(uri: "/account/sign-in", method: .get, headers: Self.browser)
            #expect(Self.isPage(method, .methodNotAllowed, back: "/account") && method.headers[.allow] == "POST, OPTIONS")
            #expect(String(buffer: method.body).contains("nur über ihr Formular"))
            let console = try await client.execute(uri: "/console/hold", method: .get, headers: Self.browser)
            #expect(Self.isPage(console, .methodNotAllowed, back: "/console"))
            let long = ByteBuffer(repeating: UInt8(ascii: "a"), count: 64 << 10 + 1)
            let large = try await client.execute(uri: "/console/hold", method: .post, headers: Self.browser, body: long)
            #expect(Self.isPage(large, .contentTooLarge, back: "/console"), "\(String(buffer: large.body))")
            #expect(String(buffer: large.body).contains("weniger"))
            for (path, back) in [("account", "account"), ("console/plan", "console"), ("x", "account")] {
                let elsewhere = try await client.execute(uri: "http://evil.example/\(path)", method: .get, headers: Self.browser)
                #expect(Self.isPage(elsewhere, .misdirectedRequest, back: "https://auth.example/\(back)"), "\(path)")
            }
            let program = try await client.execute(uri: "http://evil.example/account", method: .get)
            #expect(program.status == .misdirectedRequest && program.headers[.errorCode] == "misdirected_request")
        }
    }

    @Test("DX-3 a page for a name that is not accepted has no button where no address of the pages is known")
    func nowhere() async throws {
        try await serving(issuer: "farewell") { client, _ in
            let page = try await client.execute(uri: "http://evil.example/account", method: .get, headers: Self.browser)
            let text = String(buffer: page.body)
            #expect(page.status == .misdirectedRequest && text.contains("andere Adresse"), "\(text)")
            #expect(!text.contains("class=\"button") && !text.contains("<header><a"), "\(text)")
        }
    }

    @Test("DX-3 SC-2 header fields beyond the limit are refused before any work: with a page for a browser, otherwise as JSON")
    func fields() async throws {
        try await serving { client, server in
            let limit = server.settings.limits.headerBytes
            #expect(server.settings.limits.parsedHeaderBytes > limit + 16 << 10)
            var long = Self.browser
            long[.cookie] = "a=" + String(repeating: "b", count: limit)
            for (path, back) in [("/account", "/account"), ("/console", "/console"), ("/nowhere", "/account")] {
                let page = try await client.execute(uri: path, method: .get, headers: long)
                #expect(Self.isPage(page, .requestHeaderFieldsTooLarge, back: back), "\(path): \(String(buffer: page.body))")
                #expect(String(buffer: page.body).contains("alte Cookies"))
                long[.accept] = "application/json"
                let answer = try await client.execute(uri: path, method: .get, headers: long)
                #expect(answer.status == .requestHeaderFieldsTooLarge)
                #expect(answer.headers[.errorCode] == "request_header_fields_too_large")
                long[.accept] = Self.browser[.accept]
            }
            for method in [HTTPRequest.Method.get, .options, .patch] {
                let answer = try await client.execute(uri: "/auth/v1/user", method: method, headers: long)
                #expect(answer.status == .requestHeaderFieldsTooLarge)
                #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
            }
            long[.cookie] = String(repeating: "b", count: limit / 2)
            #expect(try await client.execute(uri: "/account", method: .get, headers: long).status == .ok)
        }
    }

    @Test("DX-3 a page that is overloaded, late or broken says so in the visitor's language, and its button leads back")
    func later() async throws {
        try await serving { client, server in
            let refused: [(ErrorAnswer, Int, String)] = [
                (ErrorAnswer(tooMany: 7), 429, "Zu viele Versuche."), (ErrorAnswer(unexpected: ()), 500, "gerade nicht geklappt"),
                (ErrorAnswer(FarewellError("auth.overloaded", .tryAgain, "x")), 503, "gerade nicht geklappt"),
                (ErrorAnswer(CallDeadline.passed), 504, "gerade nicht geklappt"),
            ]
            for route in server.pageRoutes {
                let back = route.path.hasPrefix("/console") ? "/console" : "/account"
                for (answer, status, words) in refused {
                    let page = try #require(route.page?(answer, Self.browser), "\(route.path)")
                    #expect(page.status.code == status && page.headers[.retryAfter] == answer.retryAfter.map { String($0) })
                    guard route.path == "/account" || route.path == "/console" else { continue }
                    let text = try await text(of: page)
                    #expect(text.contains(words) && text.contains("href=\"\(back)\">Zurück") && text.contains("lang=\"de\""), "\(text)")
                }
            }
        }
    }

    /// The body of a page that no server has sent.
    private func text(of page: Response) async throws -> String {
        let router = Router()
        router.get("page") { _, _ in page }
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try await Application(router: router, logger: log).test(.router) { client in
            String(buffer: try await client.execute(uri: "/page", method: .get).body)
        }
    }
}
