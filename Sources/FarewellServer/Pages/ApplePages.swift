// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellEngine
import Foundation
import HTTPTypes
import Hummingbird

/// Sign in with Apple on the pages (Apple, "Request an authorization to the Sign in with Apple server").
///
/// Apple answers with a form from its own site, to which the browser adds no cookie of ours. So the answer is shown
/// with one button, and that form, which is ours, brings it back together with the browser it was asked for.
struct ApplePages: Sendable {
    let pages: AccountPages
    private let apple: AppleWeb

    /// Nil where the settings name no client of Apple's.
    init?(pages: AccountPages) {
        guard let apple = pages.library.settings.apple else { return nil }
        self.pages = pages
        self.apple = apple
    }

    private static let root = "/account/apple"

    var all: [Route] { [ask, answer, check] }

    /// On to Apple, with a state that only this browser can bring back.
    private var ask: Route {
        pages.route(.get, Self.root, limit: .address) { call in
            let exchange = PageExchange(call, pages)
            let state = AppleState(
                isLeaving: call.query["next"] == "delete", until: pages.server.world.now().addingTimeInterval(600),
                random: pages.secret())
            var address = URLComponents(string: apple.authorize) ?? URLComponents()
            address.queryItems = [
                URLQueryItem(name: "client_id", value: apple.client),
                URLQueryItem(name: "redirect_uri", value: pages.guarding.origin + Self.root),
                URLQueryItem(name: "response_type", value: "code id_token"),
                URLQueryItem(name: "response_mode", value: "form_post"), URLQueryItem(name: "scope", value: "email"),
                URLQueryItem(name: "state", value: state.text(pages.guarding, visit: exchange.visit)),
                URLQueryItem(
                    name: "nonce",
                    value: SHA256.hash(data: Data(nonce(of: state, visit: exchange.visit).utf8)).hexadecimal),
            ]
            return exchange.onward(address.string ?? "/account", setting: [.visit: exchange.visit])
        }
    }

    /// Apple's form: nothing is believed of it, and no cookie is set.
    private var answer: Route {
        pages.route(.post, Self.root, limit: .address) { call in
            let form = FormFields(call.body.readableBytesView)
            let words = pages.library.words(for: call.headers)
            guard !form["id_token"].isEmpty else {
                let isLeaving = AppleState.saysLeaving(form["state"])
                return Response(status: .seeOther, headers: [.location: isLeaving ? "/account/delete" : "/account"])
            }
            return pages.library.page(
                "apple", title: words["appleSignIn"], words,
                ["state": form["state"], "idToken": form["id_token"], "code": form["code"]])
        }
    }

    private var check: Route {
        pages.route(.post, Self.root + "/check", limit: .address) { call in
            let visit = try await PageVisit(call, pages)
            guard pages.guarding.isFromHere(call.headers, authority: call.authority),
                let name = visit.cookies[.visit],
                let state = AppleState(
                    visit.form["state"], pages.guarding, visit: name, now: pages.server.world.now())
            else { throw PageExchange.staleForm }
            do {
                let grant = try await pages.authority.signIn(
                    IdentityTokenRequest(
                        provider: "apple", token: visit.form["id_token"], nonce: nonce(of: state, visit: name),
                        authorizationCode: visit.form["code"].isEmpty ? nil : visit.form["code"]),
                    device: pages.device(visit))
                return try await pages.welcome(grant, visit, isLeaving: state.isLeaving)
            } catch let error as FarewellError where error.family == .yoursToFix {
                return pages.signInPage(
                    visit, isLeaving: state.isLeaving, problem: "wrongApple", status: .badRequest)
            }
        }
    }

    /// What Apple's token has to bear, hashed: known to us alone.
    private func nonce(of state: AppleState, visit: String) -> String {
        pages.guarding.token(visit: visit, session: "apple nonce \(state.random)")
    }
}

/// What goes to Apple and comes back: where the sign-in leads, until when it is good, and whose browser it is.
struct AppleState: Sendable, Equatable {
    let isLeaving: Bool
    let until: Date
    let random: String

    init(isLeaving: Bool, until: Date, random: String) {
        self.isLeaving = isLeaving
        self.until = until
        self.random = random
    }

    /// Nil unless it was made for this browser, is whole and is still good.
    init?(_ text: String, _ guarding: PageGuard, visit: String, now: Date) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let end = Int64(parts[1]) else { return nil }
        self.init(
            isLeaving: parts[0] == "delete", until: Date(timeIntervalSince1970: Double(end)), random: parts[2])
        guard guarding.isOurs(parts[3], visit: visit, session: words), until > now else { return nil }
    }

    func text(_ guarding: PageGuard, visit: String) -> String {
        words.dropFirst("apple ".count) + "." + guarding.token(visit: visit, session: words)
    }

    /// Where somebody was led who came back with nothing; nobody's word, and it only chooses between two pages.
    static func saysLeaving(_ text: String) -> Bool { text.hasPrefix("delete.") }

    private var words: String {
        "apple \(isLeaving ? "delete" : "account").\(Int64(until.timeIntervalSince1970)).\(random)"
    }
}
