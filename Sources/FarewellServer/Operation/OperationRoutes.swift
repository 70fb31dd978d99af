// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSessions
import Hummingbird
import Logging
import NIOCore

/// The routes for operators and their programs: liveness, readiness, metrics, description.
struct OperationRoutes: Sendable {
    let server: FarewellServer

    /// The routes for any caller.
    var all: [Route] {
        [health, readiness(tells: .whether)] + (server.settings.openAPI == .offered ? [description] : [])
    }

    /// The routes on the operators' own address.
    var ofOperators: [Route] { [health, readiness(tells: .where), metrics, description].compactMap(\.self) }

    private var health: Route {
        var route = Route(
            .get, "/healthz",
            RouteOperation(
                id: "isAlive", summary: "Check that the process answers", tag: "operation",
                answers: [200: .init(meaning: "The process answers.", schema: .named("Condition"))], reads: .nothing)
        ) { _ in .json(Condition(status: "ok")) }
        route.hosts = .any
        return route
    }

    /// The detail in the answer about a plan that does not fit or is not the newest, and about a wrong clock: only
    /// operators see names of tables.
    private enum PlanDetail { case whether, `where` }

    /// A plan that does not fit or is not the newest leaves the server ready: only erasures wait. So does a wrong
    /// clock.
    private func readiness(tells most: PlanDetail) -> Route {
        let (authority, erasures) = (server.authority, server.erasures)
        let hosts = server.hosts.forOperations(listeningOn: server.settings.operationsHost)
        var route = Route(
            .get, "/readyz",
            RouteOperation(
                id: "isReady", summary: "Check that the server's databases answer and take writes", tag: "operation",
                answers: [
                    200: .init(meaning: "The server can answer calls.", schema: .named("Condition")),
                    503: .init(meaning: "The server cannot do this now.", schema: .named("Condition")),
                ])
        ) { call in
            do {
                var obstacle = try await authority.writeObstacle()
                if obstacle == nil { obstacle = try await erasures?.engine.writeObstacle() }
                if let obstacle { return Self.unavailable(obstacle, tells: true, call.log) }
                _ = try await authority.newestRevocation()
                await authority.recheckClock()
                await erasures?.engine.recheckClock()
                // Probes may name any host, but so may a web page by DNS rebinding, which would read names of tables.
                let detail = hosts.accept((call.authority ?? "")[...]) ? most : .whether
                return .json(Self.condition(authority, erasures?.engine, detail))
            } catch {
                // Of the other errors, some name the database's server.
                let isPoolFull = (error as? FarewellError)?.code == "sql.pool-exhausted"
                return Self.unavailable(error, tells: isPoolFull, call.log)
            }
        }
        route.hosts = .any
        return route
    }

    /// - Parameter tells: Whether to send the message, which may name the database's server.
    private static func unavailable(_ error: any Error, tells: Bool, _ log: Logger) -> Response {
        let known = error as? FarewellError
        log.warning("not ready", metadata: ["code": "\(known?.code.rawValue ?? "unexpected")"])
        return .json(
            Condition(status: "unavailable", cause: tells ? known?.message : nil), status: .serviceUnavailable)
    }

    private var metrics: Route? {
        guard let registry = server.registry else { return nil }
        let (metrics, authority, erasures) = (server.metrics, server.authority, server.erasures)
        let deadline = Deadline(limit: .seconds(2), sleep: server.world.sleep)
        return Route(
            .get, "/metrics",
            RouteOperation(
                id: "metrics", summary: "Get the metrics in Prometheus' text format", tag: "operation",
                answers: [200: .init(meaning: "The metrics.", schema: .text, type: "text/plain")], reads: .nothing)
        ) { _ in
            metrics.clock(isTrusted: (authority.clockFault ?? erasures?.engine.clockFault) == nil)
            if let erasures {
                // While the database does not answer, the last numbers stay.
                let counts = try? await deadline.run { try await erasures.requests.counts() }
                let failing = try? await deadline.run { try await erasures.requests.countFailingRetentions() }
                let isPlanFit = erasures.engine.planTrouble == nil
                metrics.erasures(counts, failingRetentions: failing, isPlanFit: isPlanFit)
            }
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.exposition)))
        }
    }

    private var description: Route {
        let description = KeptDescription { [server] in try OpenAPIDocument.text(server.routes) }
        return Route(
            .get, "/openapi.json",
            RouteOperation(
                id: "describe", summary: "Get this description", tag: "operation",
                answers: [200: .init(meaning: "An OpenAPI 3.1 document.", schema: .anyObject)], reads: .nothing)
        ) { _ in
            .json(text: try description.text(), headers: [.cacheControl: "public, max-age=600"])
        }
    }

    private static func condition(
        _ authority: SessionAuthority, _ engine: ErasureEngine?, _ detail: PlanDetail
    ) -> Condition {
        var condition = condition(engine, detail)
        guard let fault = authority.clockFault ?? engine?.clockFault else { return condition }
        condition.clock = "untrusted"
        if detail == .where {
            condition.clock_cause = [fault.trouble, fault.remedy].compactMap(\.self).joined(separator: " ")
        }
        return condition
    }

    private static func condition(_ engine: ErasureEngine?, _ detail: PlanDetail) -> Condition {
        guard let unfit = engine?.unfit else {
            guard let trouble = engine?.standing.trouble else { return Condition(status: "ok") }
            let cause = detail == .where ? "\(trouble)" : trouble.message
            return Condition(status: "ok", erasures: "waiting", cause: cause)
        }
        let cause =
            detail == .where
            ? "\(unfit.error)"
            : "The plan does not fit the database. The server's log and the operations port name the tables."
        return Condition(
            status: "ok", erasures: "waiting", cause: cause, places: detail == .where ? unfit.places : nil)
    }

    private struct Condition: Encodable {
        let status: String
        /// `waiting` where the plan does not fit the database or is not the newest.
        var erasures: String?
        /// Why the server is not ready, or the erasures wait.
        var cause: String?
        var places: [String]?
        /// `untrusted` while the clock decides nothing irreversible: users still sign in and out.
        var clock: String?
        /// What is wrong with the clock, and the remedy.
        var clock_cause: String?
    }
}
