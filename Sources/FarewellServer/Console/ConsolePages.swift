// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellEngine
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The operator's console: every erasure and how it stands, what is due, who works, what could not be delivered.
/// Nothing of a person is shown, for nothing of a person is known here; what is changed is in the audit log.
struct ConsolePages: Sendable {
    let pages: AccountPages
    private let routes: ErasureRoutes

    /// Nil where no erasures are taken.
    init?(pages: AccountPages) {
        guard let serving = pages.server.erasures else { return nil }
        self.pages = pages
        routes = ErasureRoutes(server: pages.server, serving: serving)
    }

    private static let root = "/console"

    var all: [Route] { [overview, run, plan, signIn, signOut, hold, endHold] }

    private var seal: ConsoleSeal { ConsoleSeal(guarding: pages.guarding, now: pages.server.world.now()) }

    // MARK: Who looks

    /// A page for operators; everybody else is shown the sign-in and nothing more.
    private func shown(
        _ path: String, _ respond: @escaping @Sendable (ConsoleVisit) async throws -> Response
    ) -> Route {
        pages.route(.get, path) { call in
            let visit = ConsoleVisit(call, pages)
            guard seal.isGood(visit.session) else { return visit.page("consoleSignIn", "Console", [:]) }
            return try await respond(visit)
        }
    }

    /// A form of an operator's.
    private func act(
        _ path: String, _ respond: @escaping @Sendable (ConsoleVisit) async throws -> Response
    ) -> Route {
        pages.route(.post, path) { call in
            let visit = ConsoleVisit(call, pages)
            try visit.requireOwnForm()
            guard seal.isGood(visit.session) else { return visit.onward(Self.root) }
            return try await respond(visit)
        }
    }

    private var signIn: Route {
        pages.route(.post, Self.root + "/sign-in", limit: .address) { call in
            let visit = ConsoleVisit(call, pages)
            try visit.requireOwnForm()
            do {
                _ = try await pages.authority.administrator(
                    visit.form["token"].trimmingCharacters(in: .whitespacesAndNewlines))
                return visit.onward(Self.root, setting: [.console: seal.fresh(pages.secret()), .visit: pages.secret()])
            } catch let error as FarewellError where error.family == .yoursToFix {
                return visit.page(
                    "consoleSignIn", "Console", ["problem": "This is no operator's token."], status: .forbidden)
            }
        }
    }

    private var signOut: Route {
        act(Self.root + "/sign-out") { visit in visit.onward(Self.root, setting: [.console: "", .visit: ""]) }
    }

    // MARK: Looking

    private var overview: Route {
        shown(Self.root) { visit in
            var erasures: [RequestedErasure] = []
            for status in try await routes.serving.engine.statuses(limit: 200) {
                if let erasure = try await routes.desk.erasure(status.erasure.id) { erasures.append(erasure) }
            }
            let list = ConsoleList(
                erasures, state: visit.call.query["state"] ?? "", search: visit.call.query["find"] ?? "",
                now: pages.server.world.now())
            var values = list.values
            values["letters"] = try await routes.desk.deadLetters().map { letter in
                [
                    "endpoint": letter.endpoint, "event": letter.kind.rawValue, "attempts": String(letter.attempts),
                    "reason": letter.reason, "id": letter.erasure.text,
                ]
            }
            return visit.page("console", "Console", values)
        }
    }

    private var run: Route {
        shown(Self.root + "/runs/{id}") { visit in
            guard let id = visit.call.identifier("id"), let erasure = try await routes.desk.erasure(id) else {
                return visit.page("consoleMissing", "There is no such erasure", [:], status: .notFound)
            }
            return visit.page("consoleRun", "Erasure", ConsoleList.values(of: erasure, now: pages.server.world.now()))
        }
    }

    /// The plan held against the schema, coloured by rule; what it does not account for is red.
    private var plan: Route {
        pages.route(.get, Self.root + "/plan.svg") { call in
            guard seal.isGood(ConsoleVisit(call, pages).session) else {
                return Response(status: .seeOther, headers: [.location: Self.root])
            }
            let engine = routes.serving.engine
            let picture = PlanDrawing.draw(engine.plan, schema: engine.schema, as: .svg)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "image/svg+xml",
                    .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                ], body: ResponseBody(byteBuffer: ByteBuffer(string: picture)))
        }
    }

    // MARK: Acting

    private var hold: Route {
        act(Self.root + "/hold") { visit in
            let reason = visit.form["reason"].trimmingCharacters(in: .whitespacesAndNewlines)
            guard let id = UUID(uuidString: visit.form["id"]), (1...1_000).contains(reason.count) else {
                return visit.onward(Self.root)
            }
            _ = try await routes.desk.hold(id, reason: reason, by: "console")
            return visit.onward("\(Self.root)/runs/\(id.text)")
        }
    }

    private var endHold: Route {
        act(Self.root + "/end-hold") { visit in
            guard let id = UUID(uuidString: visit.form["id"]) else { return visit.onward(Self.root) }
            _ = try await routes.desk.endHold(of: id, by: "console")
            return visit.onward("\(Self.root)/runs/\(id.text)")
        }
    }
}

/// One request of an operator's browser.
struct ConsoleVisit: Sendable {
    let call: RouteCall
    let form: FormFields
    /// What shows that an operator signed in here; nil where none did.
    let session: String?
    private let cookies: PageCookies
    private let visit: String
    private let pages: AccountPages

    init(_ call: RouteCall, _ pages: AccountPages) {
        self.call = call
        self.pages = pages
        form = FormFields(call.body.readableBytesView)
        cookies = PageCookies(call.headers, isSecure: pages.isSecure)
        session = cookies[.console]
        visit = cookies[.visit] ?? pages.secret()
    }

    func page(
        _ template: String, _ title: String, _ values: [String: Any], status: HTTPResponse.Status = .ok
    ) -> Response {
        var values = values
        values["form"] = pages.guarding.token(visit: visit, session: session)
        values["home"] = "/console"
        values["isWide"] = true
        var response = pages.library.page(template, title: title, PageWords(.english), values, status: status)
        if cookies[.visit] == nil { set([.visit: visit], in: &response) }
        return response
    }

    func onward(_ path: String, setting: [PageCookie: String] = [:]) -> Response {
        var response = Response(status: .seeOther, headers: [.location: path])
        set(setting, in: &response)
        return response
    }

    private func set(_ cookies: [PageCookie: String], in response: inout Response) {
        for (cookie, value) in cookies.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            response.headers.append(
                HTTPField(name: .setCookie, value: cookie.field(value, isSecure: pages.isSecure)))
        }
    }

    /// - Throws: `page.form`.
    func requireOwnForm() throws {
        guard pages.guarding.isFromHere(call.headers, authority: call.authority),
            pages.guarding.isOurs(form["form"], visit: cookies[.visit], session: session)
        else { throw PageVisit.staleForm }
    }
}

/// What an operator's browser keeps instead of the operators' token: good for an hour, and for the console alone.
struct ConsoleSeal: Sendable {
    let guarding: PageGuard
    let now: Date

    static let life = 3_600.0

    func fresh(_ nonce: String) -> String {
        let words = "\(Int64(now.timeIntervalSince1970 + Self.life)).\(nonce)"
        return "\(words).\(guarding.token(visit: "console", session: words))"
    }

    func isGood(_ text: String?) -> Bool {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let end = Int64(parts[0]),
            guarding.isOurs(parts[2], visit: "console", session: "\(parts[0]).\(parts[1])")
        else { return false }
        return Double(end) > now.timeIntervalSince1970
    }
}
