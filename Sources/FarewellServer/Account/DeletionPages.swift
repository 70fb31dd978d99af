// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// Deletes an account without the app: proof, the erased and the retained data, the act, its progress, the receipt.
struct DeletionPages: Sendable {
    let pages: AccountPages
    private let deletion: AccountDeletion?

    init(pages: AccountPages) {
        self.pages = pages
        deletion = pages.server.deletion
    }

    var all: [Route] {
        guard let deletion else {
            return [
                pages.route(.get, Self.root) { call in
                    let visit = try await PageVisit(call, pages)
                    return visit.page(
                        "problem", visit.words["deleteAccount"],
                        ["problem": visit.words["notOffered"], "back": "/account"], status: .notFound)
                }
            ]
        }
        return [
            leave(deletion), confirm(deletion), undo(deletion), progress(deletion), events(deletion),
            receipt(deletion), signedReceipt(deletion), finish,
        ]
    }

    private static let root = "/account/delete"

    // MARK: Before

    private func leave(_ deletion: AccountDeletion) -> Route {
        pages.route(.get, Self.root) { call in
            let visit = try await PageVisit(call, pages)
            guard let caller = visit.caller else {
                if let known = try await erasure(visit, deletion), ![.cancelled, .grace].contains(known.state) {
                    return visit.onward(Self.root + "/progress")
                }
                return pages.signInPage(visit, isLeaving: true)
            }
            let person = deletion.identity.person(caller)
            if let living = try await deletion.requests.latest(of: person.subject), living.state.isLive {
                return living.state == .grace
                    ? gracePage(living, visit) : try await follow(person.subject, visit, deletion)
            }
            guard deletion.proof.isRecent(person) else {
                return pages.signInPage(visit, isLeaving: true, known: caller.user.email)
            }
            return try await page(of: person, caller, visit, deletion)
        }.withoutHead
    }

    /// The erased data, the retained data and the reasons; with a ticket made before any request.
    private func page(
        of person: ErasurePerson, _ caller: Caller, _ visit: PageVisit, _ deletion: AccountDeletion
    ) async throws -> Response {
        let preview: Preview
        do {
            preview = try await deletion.preview(of: person)
        } catch let error as FarewellError where ["subject.unknown", "subject.malformed"].contains(error.code) {
            return visit.page(
                "problem", visit.words["deleteAccount"], ["problem": visit.words["notOffered"], "back": "/account"],
                status: .notFound)
        }
        let list = PreviewList(preview, visit.words)
        var values: [String: Any] = [
            "signedInAs": visit.words("signedInAs", "email", caller.user.email ?? "–"), "going": list.going,
            "staying": list.staying, "hasStaying": !list.staying.isEmpty,
            "offersExport": pages.server.exports != nil,
        ]
        let days = deletion.requests.rules.daysInGrace
        if days > 0 { values["graceIntro"] = visit.words("graceIntro", "days", String(days)) }
        return visit.page(
            "leave", visit.words["deleteAccount"], visit.values(values), setting: [.ticket: pages.secret()])
    }

    // MARK: The act

    private func confirm(_ deletion: AccountDeletion) -> Route {
        pages.form(Self.root) { visit in
            // A form sent twice, or after a lost answer: the earlier ticket finds the erasure.
            let known = try await erasure(visit, deletion)
            if let known, known.state != .cancelled {
                return visit.onward(known.state == .grace ? Self.root : Self.root + "/progress")
            }
            guard let caller = visit.caller else { return visit.onward(Self.root, setting: AccountPages.gone) }
            let person = deletion.identity.person(caller)
            guard deletion.proof.isRecent(person), let text = visit.cookies[.ticket],
                let ticket = try? ErasureTicket(text)
            else { return visit.onward(Self.root) }
            // The page replaces the ticket of another user's erasure by a fresh one.
            if known == nil, try await deletion.requests.erasure(ticket) != nil { return visit.onward(Self.root) }
            let answer = try await deletion.request(
                ErasureRequest(idempotencyKey: text, ticket: ticket), of: person)
            guard answer.erasure.state != .grace else { return visit.onward(Self.root) }
            if let ended = try await deletion.requests.wait(for: answer.erasure.id, atMost: 1) {
                _ = await deletion.accounts.remove(after: ended, shown: nil, visit.call.log)
            }
            return visit.onward(Self.root + "/progress", setting: [.session: ""])
        }
    }

    private func undo(_ deletion: AccountDeletion) -> Route {
        pages.form(Self.root + "/undo") { visit in
            guard let caller = visit.caller else { return visit.onward(Self.root, setting: AccountPages.gone) }
            let person = deletion.identity.person(caller)
            guard let living = try await deletion.requests.latest(of: person.subject), living.state.isLive else {
                return visit.onward("/account", setting: [.ticket: ""])
            }
            guard deletion.proof.isRecent(person) else {
                return pages.signInPage(visit, isLeaving: true, known: caller.user.email)
            }
            do {
                _ = try await deletion.requests.cancel(living.id, by: person.subject)
                return visit.onward("/account", setting: [.ticket: "", .note: "undone"])
            } catch let error as FarewellError where error.code == "erasure.too-late" {
                visit.call.report(refusal: error, pages.server.metrics)
                return visit.onward(Self.root, setting: [.note: "late"])
            }
        }
    }

    // MARK: After

    /// The erasure whose ticket this browser holds. For a signed-in user only an erasure of their own counts: a page of
    /// a neighbouring host, or an earlier user of the browser, may have left another ticket.
    private func erasure(_ visit: PageVisit, _ deletion: AccountDeletion) async throws -> RequestedErasure? {
        guard let known = try await deletion.erasure(ticket: visit.cookies[.ticket]) else { return nil }
        guard let caller = visit.caller else { return known }
        let person = deletion.identity.person(caller)
        return try await deletion.requests.isAbout(known, person.subject) ? known : nil
    }

    /// Gives a ticket of a running erasure to a browser of its subject that has none.
    private func follow(_ subject: String, _ visit: PageVisit, _ deletion: AccountDeletion) async throws -> Response {
        if try await erasure(visit, deletion) != nil { return visit.onward(Self.root + "/progress") }
        let text = pages.secret()
        let request = ErasureRequest(idempotencyKey: text, ticket: try ErasureTicket(text))
        _ = try await deletion.requests.recall(subject, request)
        return visit.onward(Self.root + "/progress", setting: [.ticket: text])
    }

    private func progress(_ deletion: AccountDeletion) -> Route {
        pages.route(.get, Self.root + "/progress") { call in
            let visit = try await PageVisit(call, pages)
            guard let erasure = try await erasure(visit, deletion) else { return visit.onward(Self.root) }
            // If the account is in another database than the rows it is deleted last.
            let keepsAccount = try await deletion.accounts.keeps(erasure)
            switch erasure.state {
            case .cancelled: return visit.onward("/account", setting: [.ticket: ""])
            case .done where keepsAccount && isLate(erasure): return attentionPage(erasure, visit)
            case .done where !keepsAccount: return visit.page("done", visit.words["deleted"], visit.values())
            case .grace: return gracePage(erasure, visit)
            case .needsAttention: return attentionPage(erasure, visit)
            case .requested, .fenced, .running, .verifying, .done:
                let steps = erasure.status.steps.map { step in
                    [
                        "label": PreviewList.step(step.name, visit.words),
                        "state": visit.words[step.state == .done ? "stateDone" : "stateRunning"],
                    ]
                }
                return visit.page("progress", visit.words["removing"], visit.values(["steps": steps]))
            }
        }
    }

    /// Whether the outbox should have removed the account of an ended erasure already.
    private func isLate(_ erasure: RequestedErasure) -> Bool {
        guard let end = erasure.status.erasure.finishedAt else { return false }
        return pages.server.world.now().timeIntervalSince(end) > 60
    }

    private func attentionPage(_ erasure: RequestedErasure, _ visit: PageVisit) -> Response {
        visit.page("attention", visit.words["attentionTitle"], visit.values(["number": erasure.id.text]))
    }

    private func gracePage(_ erasure: RequestedErasure, _ visit: PageVisit) -> Response {
        let until = erasure.graceUntil.map { AccountPages.readable($0) } ?? ""
        return visit.page(
            "grace", visit.words["graceTitle"],
            visit.values([
                "graceText": visit.words("graceText", "date", until), "isSignedIn": visit.caller != nil,
            ]))
    }

    private func events(_ deletion: AccountDeletion) -> Route {
        pages.route(.get, Self.root + "/events", duration: .open) { call in
            let visit = try await PageVisit(call, pages)
            guard let erasure = try await erasure(visit, deletion) else { throw ErasureRequests.notFound }
            return try ErasureEventsRoute(followers: pages.server.erasureFollowers, deletion: deletion)
                .following(erasure, call)
        }
    }

    private func receipt(_ deletion: AccountDeletion) -> Route {
        pages.route(.get, Self.root + "/receipt") { call in
            let visit = try await PageVisit(call, pages)
            guard let erasure = try await erasure(visit, deletion),
                let page = try await deletion.receiptPage(of: erasure)
            else { return visit.onward(Self.root) }
            return .receiptPage(page)
        }
    }

    private func signedReceipt(_ deletion: AccountDeletion) -> Route {
        pages.route(.get, Self.root + "/receipt.jws") { call in
            let visit = try await PageVisit(call, pages)
            guard let erasure = try await erasure(visit, deletion),
                let signed = try await deletion.signedReceipt(of: erasure)
            else { return visit.onward(Self.root) }
            return .signedReceipt(signed)
        }
    }

    /// Forgets the erasure in this browser, because the next user may be another person.
    private var finish: Route {
        pages.form(Self.root + "/finish") { visit in
            var response = visit.onward("/account", setting: [.ticket: "", .session: "", .visit: ""])
            response.headers[.clearSiteData] = "\"cache\""
            return response
        }
    }
}
