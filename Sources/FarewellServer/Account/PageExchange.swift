// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Hummingbird

/// The common part of the pages for users and operators: a browser's cookies, its form, and its answer.
struct PageExchange: Sendable {
    let cookies: PageCookies
    /// The browser's random name; a fresh one if it had none.
    let visit: String
    let form: FormFields
    private let call: RouteCall
    private let guarding: PageGuard
    private let isSecure: Bool

    /// - Parameter guarding: Guards the forms of the requested pages.
    init(_ call: RouteCall, _ pages: AccountPages, guarding: PageGuard) {
        self.call = call
        self.guarding = guarding
        isSecure = pages.isSecure
        cookies = PageCookies(call.headers, isSecure: pages.isSecure)
        visit = cookies[.visit] ?? pages.secret()
        form = FormFields(call.body.here.readableBytesView)
    }

    /// The token of every form.
    func token(session: String?) -> String { guarding.token(visit: visit, session: session) }

    /// - Throws: `page.form` where the form is not one that this browser had from here.
    func requireOwnForm(session: String?) throws {
        guard guarding.isFromHere(call.headers, authority: call.authority),
            guarding.isOurs(form["form"], visit: cookies[.visit], session: session)
        else { throw Self.staleForm }
    }

    static let staleForm = ErrorWithStatus(
        .forbidden, FarewellError("page.form", .yoursToFix, "The form is not from this page, or is too old."))

    /// A page, with the cookies it needs.
    func answer(_ page: Response, setting more: [PageCookie: String] = [:]) -> Response {
        var page = page
        set(cookies[.visit] == nil ? [.visit: visit].merging(more) { $1 } : more, in: &page)
        return page
    }

    /// A redirect to another of our pages, by GET.
    func onward(_ path: String, setting: [PageCookie: String] = [:]) -> Response {
        var response = Response(status: .seeOther, headers: [.location: path])
        set(setting, in: &response)
        return response
    }

    private func set(_ cookies: [PageCookie: String], in response: inout Response) {
        for (cookie, value) in cookies.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            response.headers.append(HTTPField(name: .setCookie, value: cookie.field(value, isSecure: isSecure)))
        }
    }
}
