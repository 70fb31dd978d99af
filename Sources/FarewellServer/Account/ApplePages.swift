// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// Sign in with Apple on the pages (Apple, "Request an authorization to the Sign in with Apple server").
///
/// Apple answers with a form from its own site, to which the browser adds none of our cookies. So the page shows the
/// answer with one button, and that form, from our own site, sends it together with the browser's cookies.
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

    /// Redirects to Apple, with a state that only this browser can return.
    private var ask: Route {
        pages.route(.get, Self.root, limit: .address) { call in
            let exchange = PageExchange(call, pages, guarding: pages.guarding)
            let state = SignInState(
                call.query["next"] == "delete" ? .delete : .account, from: pages.server.world.now(),
                random: pages.secret())
            var address = URLComponents(string: apple.authorize) ?? URLComponents()
            address.queryItems = [
                URLQueryItem(name: "client_id", value: apple.client),
                URLQueryItem(name: "redirect_uri", value: pages.guarding.origin + Self.root),
                URLQueryItem(name: "response_type", value: "code id_token"),
                URLQueryItem(name: "response_mode", value: "form_post"), URLQueryItem(name: "scope", value: "email"),
                URLQueryItem(name: "state", value: state.text(pages.keys, visit: exchange.visit)),
                URLQueryItem(
                    name: "nonce",
                    value: SHA256.hash(data: Data(nonce(of: state, exchange.visit).utf8)).hexadecimal),
            ]
            return exchange.onward(address.string ?? "/account", setting: [.visit: exchange.visit])
        }
    }

    /// Apple's form: nothing is believed of it, and no cookie is set.
    private var answer: Route {
        pages.route(.post, Self.root, limit: .address) { call in
            let form = FormFields(call.body.here.readableBytesView)
            let words = pages.library.words(for: call.headers)
            guard !form["id_token"].isEmpty else {
                let isLeaving = SignInState.claimed(form["state"]) == .delete
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
                let state = SignInState(
                    visit.form["state"], for: [.account, .delete], pages.keys, visit: name,
                    now: pages.server.world.now())
            else { throw PageExchange.staleForm }
            let isLeaving = state.purpose == .delete
            do {
                // An unknown user has nothing to see or to delete: this sign-in makes no user.
                let grant = try await pages.authority.signIn(
                    IdentityTokenRequest(
                        provider: "apple", token: visit.form["id_token"], nonce: nonce(of: state, name),
                        authorizationCode: visit.form["code"].isEmpty ? nil : visit.form["code"]),
                    signUp: .closed, device: pages.device(visit), source: visit.source)
                return try await pages.welcome(grant, visit, by: "id_token", isLeaving: isLeaving)
            } catch let error as FarewellError where error.code == "auth.signup_disabled" {
                call.report(refusal: error, pages.server.metrics)
                return pages.signInPage(visit, isLeaving: isLeaving, problem: "noApple", status: .forbidden)
            } catch let error as FarewellError where error.family == .yoursToFix {
                call.report(refusal: error, pages.server.metrics)
                return pages.signInPage(visit, isLeaving: isLeaving, problem: "wrongApple", status: .badRequest)
            }
        }
    }

    /// The value that Apple's token must contain, hashed: only this server knows it.
    private func nonce(of state: SignInState, _ visit: String) -> String {
        state.secret(.appleNonce, pages.keys, visit: visit)
    }
}
