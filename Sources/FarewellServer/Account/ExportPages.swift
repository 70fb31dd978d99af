// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// Downloads a user's data without the app: the request, its progress, the archive. They work without a script.
struct ExportPages: Sendable {
    private let pages: AccountPages
    private let exports: AccountExport

    /// Nil if the server offers no exports.
    init?(pages: AccountPages) {
        guard let exports = pages.server.exports else { return nil }
        self.pages = pages
        self.exports = exports
    }

    var all: [Route] { [look, request, remove, archive] }

    private static let root = "/account/export"

    private func person(_ caller: Caller) -> ErasurePerson { exports.deletion.identity.person(caller) }

    private var look: Route {
        pages.route(.get, Self.root) { call in
            let visit = try await PageVisit(call, pages)
            guard let caller = visit.caller else { return pages.signInPage(visit, isLeaving: false) }
            return page(await exports.requests.latest(of: person(caller).subject), visit)
        }
    }

    private func page(_ export: RequestedExport?, _ visit: PageVisit) -> Response {
        var values: [String: Any] = ["isKept": export != nil]
        switch export?.state {
        case nil: values["isAskable"] = true
        case .failed:
            values["isAskable"] = true
            values["problem"] = visit.words["exportFailed"]
        case .waiting, .running:
            values["isWorking"] = true
            values["done"] = export?.progress.tablesDone ?? 0
            values["total"] = max(export?.progress.tablesTotal ?? 0, 1)
        case .ready:
            let end = export?.expiresAt.map { AccountPages.readable($0) } ?? ""
            values["ready"] = visit.words("exportReady", "date", end)
        }
        return visit.page("export", visit.words["exportTitle"], visit.values(values))
    }

    /// Needs a recent sign-in, as a deletion does.
    private var request: Route {
        pages.form(Self.root, limit: .address) { visit in
            guard let caller = visit.caller else { return visit.onward("/account", setting: AccountPages.gone) }
            let person = person(caller)
            guard exports.deletion.proof.isRecent(person) else {
                return pages.signInPage(visit, isLeaving: false, known: caller.user.email)
            }
            do {
                _ = try await exports.request(of: person)
            } catch let error as FarewellError where error.code == "export.live" {
                // A form sent twice: the page shows the export.
                visit.call.report(refusal: error, pages.server.metrics)
            }
            return visit.onward(Self.root)
        }
    }

    private var remove: Route {
        pages.form(Self.root + "/remove") { visit in
            guard let caller = visit.caller else { return visit.onward("/account", setting: AccountPages.gone) }
            let subject = person(caller).subject
            if let export = await exports.requests.latest(of: subject) {
                // An export that no longer exists counts as removed.
                try? await exports.requests.remove(export.id, of: subject)
            }
            return visit.onward(Self.root)
        }
    }

    private var archive: Route {
        pages.route(.get, Self.root + "/archive") { call in
            let visit = try await PageVisit(call, pages)
            guard let caller = visit.caller else { return visit.onward("/account") }
            let person = person(caller)
            guard let export = await exports.requests.latest(of: person.subject), export.state == .ready else {
                return visit.onward(Self.root)
            }
            guard export.isRequested(by: person) || exports.deletion.proof.isRecent(person) else {
                return pages.signInPage(visit, isLeaving: false, known: caller.user.email)
            }
            return .archive(try await exports.requests.archive(export.id, of: person.subject))
        }.withoutHead
    }
}
