// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import HTTPTypes
import Hummingbird

/// One request of an operator's browser.
struct ConsoleVisit: Sendable {
    let call: RouteCall
    /// The stored session of this browser; nil if no operator is signed in here.
    let session: ConsoleSession?
    /// The signed-in operator, according to the session.
    let who: Operator?
    let exchange: PageExchange
    private let pages: AccountPages

    init(_ call: RouteCall, _ console: ConsolePages) async throws {
        self.call = call
        pages = console.pages
        exchange = PageExchange(call, pages, guarding: console.guarding)
        session = try await console.session(exchange.cookies[.console])
        who = session.flatMap(Operator.init)
    }

    var form: FormFields { exchange.form }

    /// - Parameter path: The path of the page in the navigation; nil for a page outside it.
    func page(
        _ template: String, _ title: String, _ values: [String: Any], status: HTTPResponse.Status = .ok,
        at path: String? = nil
    ) -> Response {
        var values = values
        values["sections"] = ConsolePages.sections.map { section -> [String: Any] in
            ["path": section.path, "name": section.name, "isHere": section.path == path]
        }
        values["form"] = exchange.token(session: session?.id.text)
        values["home"] = ConsolePages.root
        values["isWide"] = who != nil
        values["mayAct"] = who?.role.mayAct == true
        values["operator"] = who?.name
        return exchange.answer(
            pages.library.page(template, title: title, PageWords(.english), values, status: status))
    }

    /// The sign-in page, for visitors who are no operators or have not signed in yet.
    func signIn(problem: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        var values: [String: Any] = ["signsInElsewhere": pages.library.settings.operators != nil]
        if let problem { values["problem"] = problem }
        return page("consoleSignIn", "Console", values, status: status)
    }

    /// The refusal of an operator's act, in words.
    func refusal(_ error: FarewellError, status: HTTPResponse.Status) -> Response {
        page("consoleMissing", "The action was not done", ["problem": Self.words(error)], status: status)
    }

    /// The message and the remedy of an error.
    static func words(_ error: FarewellError) -> String {
        [error.message, error.remedy].compactMap(\.self).joined(separator: " ")
    }

    func onward(_ path: String, setting: [PageCookie: String] = [:]) -> Response {
        exchange.onward(path, setting: setting)
    }

    /// - Throws: `page.form`.
    func requireOwnForm() throws { try exchange.requireOwnForm(session: session?.id.text) }
}
