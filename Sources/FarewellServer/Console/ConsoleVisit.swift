// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import HTTPTypes
import Hummingbird

/// One request of an operator's browser.
struct ConsoleVisit: Sendable {
    let call: RouteCall
    /// Who signed in here; nil where nobody did, or no longer.
    let who: Operator?
    let exchange: PageExchange
    private let session: String?
    private let pages: AccountPages

    init(_ call: RouteCall, _ pages: AccountPages) {
        self.call = call
        self.pages = pages
        exchange = PageExchange(call, pages)
        session = exchange.cookies[.console]
        who = ConsoleSeal(guarding: pages.guarding, now: pages.server.world.now()).who(session)
    }

    var form: FormFields { exchange.form }

    func page(
        _ template: String, _ title: String, _ values: [String: Any], status: HTTPResponse.Status = .ok
    ) -> Response {
        var values = values
        values["form"] = exchange.token(session: session)
        values["home"] = ConsolePages.root
        values["isWide"] = who != nil
        values["mayAct"] = who?.role.mayAct == true
        values["operator"] = who?.name
        return exchange.answer(
            pages.library.page(template, title: title, PageWords(.english), values, status: status))
    }

    /// What everybody sees who is no operator, or has not shown it yet.
    func signIn(problem: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        var values: [String: Any] = ["signsInElsewhere": pages.library.settings.operators != nil]
        if let problem { values["problem"] = problem }
        return page("consoleSignIn", "Console", values, status: status)
    }

    /// A refusal of what an operator asked for, in words.
    func refusal(_ error: FarewellError, status: HTTPResponse.Status) -> Response {
        page(
            "consoleMissing", "That was not done",
            ["problem": [error.message, error.remedy].compactMap(\.self).joined(separator: " ")], status: status)
    }

    func onward(_ path: String, setting: [PageCookie: String] = [:]) -> Response {
        exchange.onward(path, setting: setting)
    }

    /// - Throws: `page.form`.
    func requireOwnForm() throws { try exchange.requireOwnForm(session: session) }
}
