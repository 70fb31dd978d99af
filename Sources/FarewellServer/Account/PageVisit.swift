// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// One request of a browser: its cookies, its language, its form, and its signed-in user.
struct PageVisit: Sendable {
    let call: RouteCall
    let words: PageWords
    /// Nil if no user is signed in.
    let caller: Caller?
    /// The random secret of this browser; a fresh one if it had none.
    let device: String
    /// The secret that replaces it at a sign-in to an account that does not know it, because another site may have set
    /// it.
    let freshDevice: String
    private let exchange: PageExchange
    private let pages: AccountPages

    init(_ call: RouteCall, _ pages: AccountPages) async throws {
        self.call = call
        self.pages = pages
        words = pages.library.words(for: call.headers)
        exchange = PageExchange(call, pages, guarding: pages.guarding)
        freshDevice = pages.secret()
        device = exchange.cookies[.device] ?? freshDevice
        caller = try await Self.caller(exchange.cookies[.session], pages)
    }

    /// The source of the call, for counting attempts.
    var source: CallerSource { call.source(device: device, fresh: freshDevice) }

    var cookies: PageCookies { exchange.cookies }
    var form: FormFields { exchange.form }

    private static func caller(_ token: String?, _ pages: AccountPages) async throws -> Caller? {
        guard let token else { return nil }
        do {
            let caller = try await pages.authority.authenticate(token)
            return caller.session == nil ? nil : caller
        } catch let error as FarewellError where error.family == .yoursToFix {
            return nil
        }
    }

    /// The page after a sign-in: one of two, whatever a form says.
    var isLeaving: Bool { form["next"] == "delete" || call.query["next"] == "delete" }

    /// The values of every form, and the note that the previous page left.
    func values(_ more: [String: Any] = [:], next: String = "account") -> [String: Any] {
        var values: [String: Any] = ["form": token, "next": next]
        if let note = cookies[.note], let name = Self.notes[note] { values["note"] = words[name] }
        return values.merging(more) { $1 }
    }

    /// The fixed texts of notes: no foreign text gets onto a page.
    private static let notes = [
        "out": "loggedOut", "others": "othersOut", "ended": "sessionEnded", "undone": "undone", "gone": "sessionGone",
        "late": "tooLate",
    ]

    private var token: String { exchange.token(session: cookies[.session]) }

    /// A page, with the cookies it needs.
    func page(
        _ template: String, _ title: String, _ values: [String: Any], status: HTTPResponse.Status = .ok,
        setting more: [PageCookie: String] = [:]
    ) -> Response {
        var setting = more
        if cookies[.note] != nil { setting[.note] = "" }
        return exchange.answer(
            pages.library.page(template, title: title, words, values, status: status), setting: setting)
    }

    /// A redirect to another of our pages, by GET.
    func onward(_ path: String, setting: [PageCookie: String] = [:]) -> Response {
        exchange.onward(path, setting: setting)
    }

    /// - Throws: `page.form` where the form is not one that this browser had from here.
    func requireOwnForm() throws { try exchange.requireOwnForm(session: cookies[.session]) }
}
