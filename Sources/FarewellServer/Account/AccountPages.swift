// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// The pages of a user: their sessions, and the ways to end them. They work without a script.
struct AccountPages: Sendable {
    let server: FarewellServer
    let library: PageLibrary
    /// The keys of these pages and of the console.
    let keys: PageKeys
    /// Guards the forms of these pages; the console has a guard of its own.
    let guarding: PageGuard
    let isSecure: Bool

    init(server: FarewellServer, settings: PageSettings) {
        self.server = server
        library = server.library.flatMap { $0.settings == settings ? $0 : nil } ?? PageLibrary(settings)
        let issuer = server.authority.settings.issuer
        isSecure = server.settings.tls != nil || issuer.hasPrefix("https:")
        let authority = server.authority
        keys = PageKeys { authority.purposeKey($0) }
        guarding = PageGuard(key: keys[.accountForm], origin: PageGuard.origin(of: issuer), isSecure: isSecure)
    }

    static let root = ServerPaths.account

    var authority: SessionAuthority { server.authority }

    /// 256 random bits.
    func secret() -> String { SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.text(Array($0)) } }

    var all: [Route] {
        files + [account, signIn, sendCode, checkCode, askSignOut, signOut, endSession] + LinkPages(pages: self).all
            + (ApplePages(pages: self)?.all ?? []) + DeletionPages(pages: self).all
            + (ExportPages(pages: self)?.all ?? [])
    }

    func route(
        _ method: HTTPRequest.Method, _ path: String, limit: Route.Limit = .none, duration: Route.Duration = .bounded,
        _ respond: @escaping @Sendable (RouteCall) async throws -> Response
    ) -> Route {
        let id = "page \(method.rawValue) \(path)"
        var route = Route(
            method, path, RouteOperation(id: id, summary: "A page", tag: "pages", answers: [:]), limit: limit,
            duration: duration, respond: respond)
        let library = library
        let back = RefusalPages.isOfConsole(path) ? ServerPaths.console : Self.root
        route.page = { library.problem($0, $1, back: back) }
        return route
    }

    /// Handles a form of our own pages.
    func form(
        _ path: String, limit: Route.Limit = .none, _ respond: @escaping @Sendable (PageVisit) async throws -> Response
    ) -> Route {
        route(.post, path, limit: limit) { call in
            let visit = try await PageVisit(call, self)
            try visit.requireOwnForm()
            return try await respond(visit)
        }
    }

    private var files: [Route] {
        let (library, settings) = (library, library.settings)
        let style = Array(PageFiles.style(settings).utf8)
        let script = Array(PageFiles.script.utf8)
        var files = [
            route(.get, "/account/style.css") { library.file(style, type: "text/css; charset=utf-8", $0.headers) },
            route(.get, "/account/script.js") {
                library.file(script, type: "text/javascript; charset=utf-8", $0.headers)
            },
        ]
        if let logo = settings.logo {
            files.append(route(.get, "/account/logo") { library.file(logo.bytes, type: logo.type, $0.headers) })
        }
        return files
    }

    // MARK: Coming in

    /// - Parameter email: The account that must be proved again; nil lets users write an address.
    func signInPage(
        _ visit: PageVisit, isLeaving: Bool, known email: String? = nil, problem: String? = nil,
        status: HTTPResponse.Status = .ok, setting: [PageCookie: String] = [:]
    ) -> Response {
        let words = visit.words
        var values: [String: Any] = [
            "email": email ?? visit.form["email"], "isKnown": email != nil, "sendsMail": authority.sendsMail,
            "signsInWithApple": library.settings.apple != nil,
            "signInAction": email == nil ? words["signIn"] : words["continueAction"],
        ]
        if email != nil {
            values["intro"] = words["proveIntro"]
        } else if isLeaving {
            values["intro"] = words["leavingIntro"]
        }
        if let problem { values["problem"] = words[problem] }
        return visit.page(
            "signIn", isLeaving ? words["deleteAccount"] : words["signInTitle"],
            visit.values(values, next: isLeaving ? "delete" : "account"), status: status, setting: setting)
    }

    private var signIn: Route {
        form("/account/sign-in", limit: .address) { visit in
            do {
                let grant = try await authority.signIn(
                    email: visit.form["email"], password: visit.form["password"], device: device(visit),
                    source: visit.source)
                return try await welcome(grant, visit, by: "password", isLeaving: visit.isLeaving)
            } catch let error as FarewellError where Self.told[error.code.rawValue] != nil {
                visit.call.report(refusal: error, server.metrics)
                return signInPage(
                    visit, isLeaving: visit.isLeaving, known: visit.caller?.user.email,
                    problem: Self.told[error.code.rawValue], status: ErrorStatus.status(of: error, at: .grant))
            }
        }
    }

    /// The texts for a refused sign-in: the same for unknown users and wrong passwords.
    static let told = [
        "auth.invalid_credentials": "wrongCredentials", "auth.validation_failed": "wrongCredentials",
        "auth.email_not_confirmed": "wrongCredentials", "auth.user_banned": "barred",
        "auth.over_request_rate_limit": "tooMany", "auth.otp_expired": "wrongCode",
    ]

    func device(_ visit: PageVisit) -> SessionDevice {
        SessionDevice(
            name: BrowserName.of(visit.call.headers[.userAgent]) ?? visit.words["webPage"],
            userAgent: visit.call.headers[.userAgent], address: visit.call.address)
    }

    /// A session of its own for each sign-in; the one before ends, so that no name of a session outlives a proof.
    ///
    /// - Parameter method: How they signed in, for the log.
    func welcome(
        _ grant: SessionGrant, _ visit: PageVisit, by method: String, isLeaving: Bool
    ) async throws -> Response {
        let cookie = try await authority.shortened(grant.accessToken)
        visit.call.report("signed in", of: grant.sessionID, ["method": method])
        if let before = visit.caller { try await signOut(before, .local, visit) }
        let isKnown = try await authority.knows(device: visit.device, of: grant.user.id)
        return visit.onward(
            isLeaving ? "/account/delete" : "/account",
            setting: [
                .session: cookie, .visit: secret(), .note: "",
                .device: isKnown ? visit.device : visit.freshDevice,
            ])
    }

    private func signOut(_ caller: Caller, _ scope: SignOutScope, _ visit: PageVisit) async throws {
        try await authority.signOut(caller, scope: scope)
        visit.call.report("signed out", of: caller.session?.id, ["scope": scope.rawValue])
    }

    /// The same page, whether or not the address has an account.
    private var sendCode: Route {
        form("/account/code", limit: .address) { visit in
            do {
                try await authority.sendCode(.recovery, to: visit.form["email"], source: visit.source)
                return codePage(visit)
            } catch let error as FarewellError where error.code == "auth.over_email_send_rate_limit" {
                visit.call.report(refusal: error, server.metrics)
                return codePage(visit, problem: "codeAgain", status: .tooManyRequests)
            } catch let error as FarewellError where Self.unwritable.contains(error.code.rawValue) {
                visit.call.report(refusal: error, server.metrics)
                return signInPage(visit, isLeaving: visit.isLeaving, problem: "wrongAddress", status: .badRequest)
            }
        }
    }

    private static let unwritable: Set<String> = ["auth.validation_failed", "auth.email_address_invalid"]

    private func codePage(
        _ visit: PageVisit, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        var values: [String: Any] = [
            "email": visit.form["email"], "again": visit.isLeaving ? "/account/delete" : "/account",
        ]
        if let problem { values["problem"] = visit.words[problem] }
        return visit.page(
            "code", visit.words["codeTitle"], visit.values(values, next: visit.isLeaving ? "delete" : "account"),
            status: status, setting: [.device: visit.device])
    }

    private var checkCode: Route {
        form("/account/code/check", limit: .address) { visit in
            do {
                let code = visit.form["code"].filter(\.isNumber)
                let grant = try await authority.signIn(
                    .recovery, by: .code(code, email: visit.form["email"]), device: device(visit),
                    source: visit.source)
                return try await welcome(grant, visit, by: "code", isLeaving: visit.isLeaving)
            } catch let error as FarewellError where Self.told[error.code.rawValue] != nil {
                visit.call.report(refusal: error, server.metrics)
                let isMany = error.code == "auth.over_request_rate_limit"
                return codePage(
                    visit, problem: isMany ? "tooMany" : "wrongCode", status: isMany ? .tooManyRequests : .badRequest)
            }
        }
    }

    // MARK: Sessions

    private var account: Route {
        route(.get, "/account") { call in
            let visit = try await PageVisit(call, self)
            guard let caller = visit.caller else {
                return signInPage(
                    visit, isLeaving: false, setting: visit.cookies[.session] == nil ? [:] : [.session: ""])
            }
            let sessions = try await authority.sessions(of: caller)
            let values: [String: Any] = [
                "signedInAs": visit.words("signedInAs", "email", caller.user.email ?? "–"),
                "offersExport": server.exports != nil, "hasOthers": sessions.count > 1,
                "sessions": sessions.map { self.values(of: $0, visit) },
            ]
            return visit.page("account", visit.words["account"], visit.values(values))
        }
    }

    private func values(of session: Session, _ visit: PageVisit) -> [String: Any] {
        let device =
            session.device.name ?? session.device.platform ?? BrowserName.of(session.device.userAgent)
            ?? visit.words["unknownDevice"]
        let details = [session.device.platform, session.device.appVersion]
        var values: [String: Any] = [
            "id": session.id.text, "device": device, "isCurrent": session.isCurrent,
            "seenAt": UTCTime.text(session.lastSeenAt), "seen": Self.readable(session.lastSeenAt),
            "endLabel": visit.words("endOf", "device", device),
        ]
        let detail = details.compactMap(\.self).filter { $0 != device }.joined(separator: " · ")
        if !detail.isEmpty { values["detail"] = detail }
        return values
    }

    /// The day and minute in universal time, the same in every language.
    static func readable(_ date: Date) -> String {
        UTCTime.text(date).replacing("T", with: " ").prefix(16) + " UTC"
    }

    private var endSession: Route {
        form("/account/sessions/end") { visit in
            guard let caller = visit.caller else { return visit.onward("/account", setting: Self.gone) }
            do {
                if let id = UUID(text: visit.form["session"]) {
                    try await authority.end(session: id, of: caller)
                    visit.call.report("session ended", of: id)
                }
            } catch let error as FarewellError where error.code == "auth.session_not_found" {
                visit.call.report(refusal: error, server.metrics)
                // The session has ended already, or is not this user's: the answer does not reveal which.
            }
            return visit.onward("/account", setting: [.note: "ended"])
        }
    }

    static let gone: [PageCookie: String] = [.session: "", .note: "gone"]

    // MARK: Going out

    private static let questions: [SignOutScope: (title: String, message: String)] = [
        .local: ("logOutTitle", "logOutMessage"), .others: ("othersTitle", "othersMessage"),
        .global: ("everywhereTitle", "everywhereMessage"),
    ]

    private var askSignOut: Route {
        route(.get, "/account/sign-out") { call in
            let visit = try await PageVisit(call, self)
            guard visit.caller != nil else { return visit.onward("/account") }
            let scope = SignOutScope(rawValue: call.query["scope"] ?? "") ?? .local
            let question = Self.questions[scope] ?? ("logOutTitle", "logOutMessage")
            return visit.page(
                "signOut", visit.words[question.title],
                visit.values(["scope": scope.rawValue, "message": visit.words[question.message]]))
        }
    }

    private var signOut: Route {
        form("/account/sign-out") { visit in
            let scope = SignOutScope(rawValue: visit.form["scope"]) ?? .local
            if let caller = visit.caller { try await signOut(caller, scope, visit) }
            guard scope != .others else { return visit.onward("/account", setting: [.note: "others"]) }
            var response = visit.onward("/account", setting: [.session: "", .visit: "", .note: "out"])
            response.headers[.clearSiteData] = "\"cache\""
            return response
        }
    }
}
