// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import HTTPTypes
import Hummingbird

/// One request of an operator's browser.
struct ConsoleVisit: Sendable {
    let call: RouteCall
    /// What shows that an operator signed in here; nil where none did.
    let session: String?
    private let exchange: PageExchange
    private let pages: AccountPages

    init(_ call: RouteCall, _ pages: AccountPages) {
        self.call = call
        self.pages = pages
        exchange = PageExchange(call, pages)
        session = exchange.cookies[.console]
    }

    var form: FormFields { exchange.form }

    func page(
        _ template: String, _ title: String, _ values: [String: Any], status: HTTPResponse.Status = .ok
    ) -> Response {
        var values = values
        values["form"] = exchange.token(session: session)
        values["home"] = "/console"
        values["isWide"] = true
        return exchange.answer(
            pages.library.page(template, title: title, PageWords(.english), values, status: status))
    }

    /// A refusal of what an operator asked for, in words.
    func refusal(_ error: FarewellError) -> Response {
        page(
            "consoleMissing", "That was not done",
            ["problem": [error.message, error.remedy].compactMap(\.self).joined(separator: " ")], status: .conflict)
    }

    func onward(_ path: String, setting: [PageCookie: String] = [:]) -> Response {
        exchange.onward(path, setting: setting)
    }

    /// - Throws: `page.form`.
    func requireOwnForm() throws { try exchange.requireOwnForm(session: session) }
}
