// SPDX-License-Identifier: Apache-2.0

import FarewellSessions
import HTTPTypes
public import Hummingbird

extension FarewellServer {
    /// Mounts every route in a router of your application, or in a group of it.
    ///
    /// If the router's context has the client's address (`RemoteAddressRequestContext`), calls are limited by it.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        mount(routes + pageRoutes + UnofferedRoutes(auth: AuthRoutes(server: self)).all, by: runner, to: router)
    }

    /// Mounts the routes for operators' programs: `/metrics` if there is a `MetricsRegistry`, `/healthz`, `/readyz` and
    /// `/openapi.json`. They need a router of their own, on an address that only these programs can reach.
    public func addOperationRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        mount(OperationRoutes(server: self).ofOperators, by: operationsRunner, to: router)
    }

    /// The paths of most calls. The router compares one path after the other, in the order in which they are mounted.
    private static let often = [AuthRoutes.root + "/user", AuthRoutes.root + "/token"]

    private func mount<Context: RequestContext>(
        _ routes: [Route], by runner: RouteRunner, to router: some RouterMethods<Context>
    ) {
        var mounted: Set<String> = []
        for path in Self.often + routes.map(\.path) where mounted.insert(path).inserted {
            let here = routes.filter { $0.path == path }
            guard !here.isEmpty else { continue }
            let allowed = RouteRunner.methods.filter { method in here.contains { $0.answers(method) } }
            for method in RouteRunner.methods {
                guard let route = here.first(where: { $0.answers(method) }) else {
                    router.on(RouterPath(path), method: method) { request, context in
                        runner.answerNone(request, .method(allowed: allowed), Arrival(context, context.parameters))
                    }
                    continue
                }
                router.on(RouterPath(path), method: method) { request, context in
                    await runner.answer(request, route, Arrival(context, context.parameters))
                }
            }
        }
    }

    /// Answers every caller.
    var runner: RouteRunner {
        let pages = library.map { RefusalPages($0, routes: routes, issuer: authority.settings.issuer) }
        return runner(for: hosts, CrossOrigin(origins: settings.origins)) { pages?.page($0, $1) }
    }

    /// Answers operators' programs, by an address or an accepted name of the host, and no page of the web.
    var operationsRunner: RouteRunner {
        runner(for: hosts.forOperations(listeningOn: settings.operationsHost), CrossOrigin(origins: [])) { _, _ in
            nil
        }
    }

    private func runner(
        for hosts: AcceptedHosts, _ crossOrigin: CrossOrigin,
        refusalPage: @escaping @Sendable (ErrorAnswer, Request) -> Response?
    ) -> RouteRunner {
        let limits = settings.limits
        return RouteRunner(
            limits: limits, hosts: hosts, crossOrigin: crossOrigin, refusalPage: refusalPage,
            isSecure: settings.tls != nil,
            clientAddressField: settings.clientAddressField.flatMap { HTTPField.Name($0) }, proxyNotice: proxyNotice,
            callsPerAddress: rateLimit(limits.callsPerAddress, burst: limits.burstPerAddress), metrics: metrics,
            tracing: tracing, timeouts: CallTimeouts(limit: .seconds(limits.requestTimeout), world: world), world: world
        )
    }

    /// Deletes accounts, for routes, pages and console; nil if no erasures are taken.
    var deletion: AccountDeletion? {
        erasures.map {
            AccountDeletion($0, authority: authority, previews: previewsPerSubject, world: world)
        }
    }

    /// Exports users' data for them, for routes and pages; nil if none are offered.
    var exports: AccountExport? {
        guard let deletion, let requests = deletion.serving.exports, let exportsPerSubject else { return nil }
        return AccountExport(requests: requests, deletion: deletion, allowance: exportsPerSubject)
    }

    var operatorNames: OperatorNames { OperatorNames(authority) }

    /// The pages for users; not part of the OpenAPI description.
    var pageRoutes: [Route] {
        guard let settings = pages else { return [] }
        let account = AccountPages(server: self, settings: settings)
        return account.all + (ConsolePages(pages: account)?.all ?? [])
    }

    /// Everything that is offered to programs, in the order of its description.
    var routes: [Route] {
        AuthRoutes(server: self).all + SessionRoutes(server: self).all
            + (deletion.map { ErasureRoutes(server: self, deletion: $0).all } ?? [])
            + (exports.map { ExportRoutes(exports: $0).all } ?? []) + OperationRoutes(server: self).all
    }
}
