// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import FarewellVerifier
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// How operators sign in and out: by a token that administers users, or at a provider of OpenID Connect.
///
/// The provider sends the browser back from its own site, so the browser sends none of our cookies. The answer alone
/// proves nothing: its page starts a second request from our own site, and that request is checked against the browser
/// that was sent away.
struct ConsoleSignIn: Sendable {
    private let console: ConsolePages
    private let openID: OpenIDClient?
    private let names: OperatorNames

    init(console: ConsolePages) {
        self.console = console
        let server = console.pages.server
        names = server.operatorNames
        openID = console.pages.library.settings.operators.map {
            OpenIDClient($0, world: server.world, log: server.log)
        }
    }

    private static let root = ConsolePages.root + "/openid"

    var all: [Route] {
        [byToken, signOut] + (openID.map { [ask($0), answer, check($0)] } ?? [])
    }

    private var pages: AccountPages { console.pages }
    private var now: Date { pages.server.world.now() }

    // MARK: By token

    private var byToken: Route {
        pages.route(.post, ConsolePages.root + "/sign-in", limit: .address) { call in
            let visit = try await ConsoleVisit(call, console)
            try visit.requireOwnForm()
            do {
                let (claims, entry) = try await pages.authority.consoleEntry(
                    byToken: visit.form["token"].trimmingCharacters(in: .whitespacesAndNewlines))
                return try await welcome(Operator(role: .operates, name: names.name(of: claims)), entry, visit)
            } catch let error as FarewellError where error.family == .yoursToFix {
                call.report(refusal: error, pages.server.metrics)
                return visit.signIn(problem: "This is not an operator's token.", status: .forbidden)
            }
        }
    }

    private var signOut: Route {
        pages.route(.post, ConsolePages.root + "/sign-out") { call in
            let visit = try await ConsoleVisit(call, console)
            try visit.requireOwnForm()
            if let session = visit.session { _ = try await pages.authority.endConsoleSession(session.id) }
            if let who = visit.who { try await console.requests.note("console.signed-out", by: who.actor) }
            return visit.onward(ConsolePages.root, setting: [.console: "", .visit: ""])
        }
    }

    /// A session of its own for each sign-in; the one that this browser had before ends.
    private func welcome(_ who: Operator, _ entry: ConsoleEntry, _ visit: ConsoleVisit) async throws -> Response {
        if let before = visit.session { _ = try await pages.authority.endConsoleSession(before.id) }
        let token = try await pages.authority.beginConsoleSession(who.name, role: who.role.rawValue, entry)
        try await console.requests.note("console.signed-in", by: who.actor, details: ["role": who.role.rawValue])
        return visit.onward(ConsolePages.root, setting: [.console: token, .visit: pages.secret()])
    }

    // MARK: At a provider

    private var back: String { pages.guarding.origin + Self.root + "/answer" }

    /// Redirects to the provider, with a state that only this browser can return.
    private func ask(_ openID: OpenIDClient) -> Route {
        pages.route(.get, Self.root, limit: .address) { call in
            let visit = try await ConsoleVisit(call, console)
            let browser = visit.exchange.visit
            let state = SignInState(.console, from: now, random: pages.secret())
            do {
                let address = try await openID.asking(
                    state: state.text(pages.keys, visit: browser),
                    nonce: state.secret(.consoleNonce, pages.keys, visit: browser),
                    verifier: state.secret(.consoleVerifier, pages.keys, visit: browser), back: back)
                return visit.onward(address, setting: [.visit: browser])
            } catch let error as FarewellError {
                return away(error, visit)
            }
        }
    }

    /// The provider's answer, in a request from its site: passed on, without setting a cookie.
    private var answer: Route {
        pages.route(.get, Self.root + "/answer", limit: .address) { call in
            let taken = ["state", "code"].reduce(into: [String: String]()) { $0[$1] = call.query[$1] ?? "" }
            return pages.library.page(
                "consoleOnward", title: "Console", PageWords(.english),
                ["onward": Self.root + "/check?" + FormFields.written(taken), "home": ConsolePages.root])
        }
    }

    private func check(_ openID: OpenIDClient) -> Route {
        pages.route(.get, Self.root + "/check", limit: .address) { call in
            let visit = try await ConsoleVisit(call, console)
            guard let browser = visit.exchange.cookies[.visit],
                let state = SignInState(
                    call.query["state"] ?? "", for: [.console], pages.keys, visit: browser, now: now),
                try await console.requests.receive(state.random, from: "console")
            else {
                call.report(refusal: "console.sign-in-stale", pages.server.metrics)
                return visit.signIn(problem: Self.stale, status: .forbidden)
            }
            guard let code = call.query["code"], !code.isEmpty else {
                call.report(refusal: "console.sign-in-refused", pages.server.metrics)
                return visit.signIn(problem: Self.refused, status: .forbidden)
            }
            do {
                let token = try await openID.identity(
                    .init(
                        code: code, verifier: state.secret(.consoleVerifier, pages.keys, visit: browser),
                        nonce: state.secret(.consoleNonce, pages.keys, visit: browser), back: back))
                let name = names.name(issuer: token.person.issuer, subject: token.person.subject)
                guard let role = openID.settings.role(in: token.claims) else {
                    call.log.notice("console: no role", metadata: ["operator": "\(name)"])
                    call.report(refusal: "console.no-role", pages.server.metrics)
                    return visit.signIn(problem: Self.noRole, status: .forbidden)
                }
                let entry = pages.authority.consoleEntry(byProvider: openID.settings.identity)
                return try await welcome(Operator(role: role, name: name), entry, visit)
            } catch let error as FarewellError {
                return away(error, visit)
            }
        }.withoutHead
    }

    /// One clear page, whatever went wrong on the way to the provider or back.
    private func away(_ error: FarewellError, _ visit: ConsoleVisit) -> Response {
        visit.call.log.notice("console: no sign-in", metadata: ["code": "\(error.code.rawValue)"])
        guard error.family == .yoursToFix else {
            return visit.signIn(problem: Self.unavailable, status: .serviceUnavailable)
        }
        visit.call.report(refusal: "console.sign-in-refused", pages.server.metrics)
        return visit.signIn(problem: Self.refused, status: .forbidden)
    }

    private static let stale = "This sign-in was started elsewhere, has expired, or was already used. Start again."
    private static let refused = "You were not signed in: the sign-in service returned an unusable answer."
    private static let noRole = "The sign-in service knows you, but you have no role in this console."
    private static let unavailable =
        "The sign-in service cannot be reached or answers incorrectly. Please try again in a moment."
}
