// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The operator's console: every erasure and its state, due dates, active workers, undelivered events. It shows nothing
/// personal, because it knows nothing personal; the audit log records every change.
struct ConsolePages: Sendable {
    let pages: AccountPages
    /// Guards the console's forms, by a key that no other page has.
    let guarding: PageGuard
    private let deletion: AccountDeletion

    /// Nil if no erasures are accepted.
    init?(pages: AccountPages) {
        guard let deletion = pages.server.deletion else { return nil }
        self.pages = pages
        guarding = PageGuard(
            key: pages.keys[.consoleForm], origin: pages.guarding.origin, isSecure: pages.isSecure)
        self.deletion = deletion
    }

    static let root = ServerPaths.console
    static let activityPath = root + "/activity"
    /// The list of the parked erasures.
    static let parked = root + "?state=needs%20attention"
    private static let delivery = root + "/delivery"

    /// The pages that the navigation names, by their paths.
    static let sections = [
        (path: root, name: "Erasures"), (path: activityPath, name: "Activity"),
        (path: delivery, name: "Workers and events"), (path: root + "/sessions", name: "Sessions"),
        (path: root + "/plan", name: "Plan"),
    ]

    var all: [Route] {
        ConsoleSignIn(console: self).all + ConsoleSessionList(console: self).all
            + [overview, activity, delivery, planPage, run, plan, events, hold, endHold, release, redeliver]
    }

    var requests: ErasureRequests { deletion.requests }

    // MARK: The operator

    /// The provider at which operators sign in, as far as it decides who may; nil if there is none.
    var provider: [String]? { pages.library.settings.operators?.identity }

    /// The stored session of a cookie; nil for anything else.
    func session(_ cookie: String?) async throws -> ConsoleSession? {
        guard let cookie else { return nil }
        return try await pages.authority.consoleSession(cookie, provider: provider)
    }

    /// A page for operators; other visitors see the sign-in only.
    func shown(
        _ path: String, _ respond: @escaping @Sendable (ConsoleVisit) async throws -> Response
    ) -> Route {
        pages.route(.get, path) { call in
            let visit = try await ConsoleVisit(call, self)
            return visit.who == nil ? visit.signIn() : try await respond(visit)
        }
    }

    /// A form of an operator. It refuses operators who may only look, whatever the form contains.
    func act(
        _ path: String, _ respond: @escaping @Sendable (ConsoleVisit, _ actor: String) async throws -> Response
    ) -> Route {
        pages.route(.post, path) { call in
            let visit = try await ConsoleVisit(call, self)
            try visit.requireOwnForm()
            guard let who = visit.who else { return visit.onward(Self.root) }
            guard who.role.mayAct else {
                call.log.notice("console: refused", metadata: ["operator": "\(who.name)"])
                return visit.refusal(Self.mayOnlyLook, status: .forbidden)
            }
            do {
                return try await respond(visit, who.actor)
            } catch let error as FarewellError where error.family == .yoursToFix {
                return visit.refusal(error, status: .conflict)
            }
        }
    }

    private static let mayOnlyLook = FarewellError(
        "console.may-only-look", .yoursToFix, "You may see everything here, but change nothing.")

    // MARK: Looking

    /// How many erasures a list shows.
    static let most = 200
    /// How many parked erasures the top of the console names.
    private static let mostNeeds = 20
    /// How many days the charts go back, today included.
    private static let days = 14

    private var overview: Route {
        shown(Self.root) { visit in
            let state = ErasureState(rawValue: visit.call.query["state"] ?? "")
            let search = (visit.call.query["find"] ?? "").trimmingCharacters(in: .whitespaces)
            // First, so that a change meanwhile makes the page reload.
            let overview = try await requests.overview()
            // PostgreSQL takes no text with U+0000, and no identifier begins with it.
            let isText = !search.utf8.contains(0)
            let found =
                try await isText
                ? requests.found(state: state?.rawValue ?? "", beginning: search, limit: Self.most) : []
            let kept = try await deletion.accounts.kept(among: found)
            var values = ConsoleList.values(overview, found, keepingAccounts: kept, state: state, search: search)
            values["rest"] = ConsoleList.rest(
                shown: found.count, of: search.isEmpty ? ConsoleList.total(overview, state) : nil)
            values["mark"] = "\(ConsoleEvents.mark(of: overview))"
            let trouble = deletion.serving.engine.planTrouble
            values["unfitPlan"] = trouble.map { "\($0)" }
            let now = pages.server.world.now()
            let parked = try await requests.found(
                state: ErasureState.needsAttention.rawValue, beginning: "", limit: Self.mostNeeds)
            let needs = ConsoleNeeds.values(
                overview, parked: parked, overdue: try await requests.countOverdue(at: now),
                today: try await requests.days(1).last, isUnfit: trouble != nil, now: now)
            values.merge(needs) { _, need in need }
            values["speed"] = ConsoleNeeds.speed(overview, try await requests.throughput())
            return visit.page("console", "Console", values, at: Self.root)
        }
    }

    /// Due dates, requests and failures by day.
    private var activity: Route {
        shown(Self.activityPath) { visit in
            let overview = try await requests.overview()
            var values = ConsoleList.due(overview, now: pages.server.world.now())
            values["mark"] = "\(ConsoleEvents.mark(of: overview))"
            values.merge(ConsoleCharts.values(try await requests.days(Self.days))) { _, chart in chart }
            return visit.page("consoleActivity", "Activity", values, at: Self.activityPath)
        }
    }

    /// The active workers, and the events that are being delivered.
    private var delivery: Route {
        shown(Self.delivery) { visit in
            let overview = try await requests.overview()
            var values = ConsoleList.work(overview)
            values["mark"] = "\(ConsoleEvents.mark(of: overview))"
            return visit.page("consoleDelivery", "Workers and events", values, at: Self.delivery)
        }
    }

    private var planPage: Route {
        shown(Self.root + "/plan") { visit in visit.page("consolePlan", "Plan", [:], at: Self.root + "/plan") }
    }

    /// Signals changes, so that an open page can reload.
    private var events: Route {
        pages.route(.get, Self.root + "/events", duration: .open) { call in
            let visit = try await ConsoleVisit(call, self)
            guard visit.who != nil else { return Response(status: .forbidden) }
            let cookie = visit.exchange.cookies[.console]
            return try ConsoleEvents(
                followers: pages.server.consoleFollowers, deletion: deletion,
                isSignedIn: { try await session(cookie) != nil },
                run: call.query["run"].flatMap(UUID.init(text:)),
                seen: call.query["seen"].flatMap(Int.init)
            ).answer(call)
        }
    }

    private var run: Route {
        shown(Self.root + "/runs/{id}") { visit in
            guard let id = visit.call.identifier("id") else { return Self.missing(visit) }
            return try await page(of: id, visit)
        }
    }

    /// One erasure.
    ///
    /// - Parameter refused: A reason for a hold that was not accepted, and why: the form shows both.
    private func page(
        of id: UUID, _ visit: ConsoleVisit, refused: (reason: String, why: FarewellError)? = nil
    ) async throws -> Response {
        guard let erasure = try await deletion.requests.erasure(id) else { return Self.missing(visit) }
        let keepsAccount = try await deletion.accounts.keeps(erasure)
        var values = ConsoleList.values(of: erasure, keepsAccount: keepsAccount)
        values["mark"] = "\(ConsoleEvents.mark(of: erasure, keepsAccount: keepsAccount))"
        guard let refused else { return visit.page("consoleRun", "Erasure", values) }
        // An erasure that has ended, or is held by now, has no such form.
        let hasForm = erasure.state.isLive && erasure.holdReason == nil
        values[hasForm ? "holdProblem" : "problem"] = ConsoleVisit.words(refused.why)
        values["reason"] = refused.reason
        return visit.page("consoleRun", "Erasure", values, status: .badRequest)
    }

    private static func missing(_ visit: ConsoleVisit) -> Response {
        visit.page("consoleMissing", "There is no such erasure", [:], status: .notFound)
    }

    /// The plan compared with the schema, coloured by rule; unaccounted tables and columns are red.
    private var plan: Route {
        pages.route(.get, Self.root + "/plan.svg") { call in
            guard try await ConsoleVisit(call, self).who != nil else {
                return Response(status: .seeOther, headers: [.location: Self.root])
            }
            let engine = deletion.serving.engine
            let picture = PlanDrawing.draw(engine.plan, schema: engine.schema, as: .svg)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "image/svg+xml",
                    .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                ], body: ResponseBody(byteBuffer: ByteBuffer(string: picture)))
        }
    }

    // MARK: Acting

    private var hold: Route {
        act(Self.root + "/hold") { visit, actor in
            guard let id = UUID(text: visit.form["id"]) else { return Self.missing(visit) }
            let written = visit.form["reason"]
            let reason: HoldReason
            do throws(FarewellError) {
                reason = try HoldReason(written)
            } catch {
                visit.call.report(refusal: error, pages.server.metrics)
                return try await page(of: id, visit, refused: (written, error))
            }
            _ = try await deletion.requests.hold(id, reason: reason.text, by: actor)
            return visit.onward("\(Self.root)/runs/\(id.text)")
        }
    }

    private var endHold: Route {
        act(Self.root + "/end-hold") { visit, actor in
            guard let id = UUID(text: visit.form["id"]) else { return Self.missing(visit) }
            _ = try await deletion.requests.endHold(of: id, by: actor)
            return visit.onward("\(Self.root)/runs/\(id.text)")
        }
    }

    private var release: Route {
        act(Self.root + "/release") { visit, actor in
            guard let id = UUID(text: visit.form["id"]) else { return Self.missing(visit) }
            try await deletion.requests.release(id, by: actor)
            return visit.onward("\(Self.root)/runs/\(id.text)")
        }
    }

    private var redeliver: Route {
        act(Self.root + "/redeliver") { visit, actor in
            _ = try await deletion.requests.redeliver(to: visit.form["endpoint"], by: actor)
            return visit.onward(Self.delivery)
        }
    }
}
