// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// The target of a mail's link: a page with one button. Opening it uses nothing up, because mail scanners open links
/// too. Its form does: it signs the browser in; or, for an app that requested the mail with a challenge, it leads to
/// the app with an authorization code.
///
/// A browser sends none of our cookies with a link from elsewhere, so the page is bound to no browser and sets no
/// cookie. Its form is proved by the token, and its origin by `Sec-Fetch-Site`.
struct LinkPages: Sendable {
    let pages: AccountPages

    static let path = ServerPaths.link

    var all: [Route] { [landing, use] }

    private var redirects: RedirectRule {
        RedirectRule(pages.server.settings, issuer: pages.authority.settings.issuer)
    }

    private static func purpose(_ text: String?) -> MailPurpose? {
        text.flatMap(MailPurpose.init(rawValue:)).flatMap { $0.bringsCode ? $0 : nil }
    }

    private var landing: Route {
        pages.route(.get, Self.path) { call in
            guard let purpose = Self.purpose(call.query["type"]), let token = call.query["token"], !token.isEmpty else {
                return Response(status: .seeOther, headers: [.location: "/account"])
            }
            let words = pages.library.words(for: call.headers)
            let target = redirects.target(call.query["redirect_to"])
            // Browsers apply the policy for forms also to the redirect that answers one.
            return pages.library.page(
                "link", title: words["signInTitle"], words,
                [
                    "type": purpose.rawValue, "token": token, "target": target,
                    "isForApp": purpose == .reauthentication,
                ], onward: redirects.policySources(of: target))
        }
    }

    private var use: Route {
        pages.route(.post, Self.path, limit: .address) { call in
            let visit = try await PageVisit(call, pages)
            guard pages.guarding.isFromHere(call.headers, authority: call.authority) else {
                throw PageExchange.staleForm
            }
            do {
                // An unknown purpose has no token; neither has recovery under such a name.
                let purpose = Self.purpose(visit.form["type"]) ?? .recovery
                let outcome = try await pages.authority.follow(
                    purpose, token: visit.form["token"], device: pages.device(visit), source: visit.source)
                switch outcome {
                case .session(let grant):
                    return try await pages.welcome(grant, visit, by: "link", isLeaving: false)
                case .code(let code):
                    return call.leading(to: redirects.target(visit.form["redirect_to"]), code: code)
                }
            } catch let error as FarewellError where AccountPages.told[error.code.rawValue] != nil {
                call.report(refusal: error, pages.server.metrics)
                return pages.signInPage(
                    visit, isLeaving: false, problem: AccountPages.told[error.code.rawValue], status: .badRequest)
            }
        }
    }
}
