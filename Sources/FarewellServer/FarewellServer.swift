// SPDX-License-Identifier: Apache-2.0

public import FarewellSessions
import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
public import Metrics
public import Tracing

/// The session authority over HTTP: the Supabase Auth contract, sessions, sign-out by ticket, the revocation feed.
///
/// Mounted in a Hummingbird application with `addRoutes(to:)`, or run separately as `FarewellService`.
public struct FarewellServer: Sendable {
    let authority: SessionAuthority
    let settings: ServerSettings
    let followerKey: String?
    let registry: MetricsRegistry?
    let hosts: AcceptedHosts
    let metrics: ServerMetrics
    let tracing: CallTracing
    /// Services that follow revocations.
    let followers: Followers
    /// People who follow their erasure. They take no service's place, nor may one erasure's take all.
    let erasureFollowers: Followers
    /// Operators who look at the console.
    let consoleFollowers: Followers
    let erasures: ErasureServing?
    /// The settings of the pages for users; nil has none.
    let pages: PageSettings?
    /// Makes the pages; nil if there are none.
    let library: PageLibrary?
    /// The public key of the tokens that carry events; nil if none do.
    let eventKey: [String: String]?
    /// How often one subject may request an export; nil if none are offered.
    let exportsPerSubject: RateLimit?
    let world: ServerWorld
    let log: Logger

    /// - Parameters:
    ///   - authority: Keeps users and sessions.
    ///   - settings: The limits for callers. `host`, `port` and `tls` are for a separate server.
    ///   - followerKey: The key of services that follow revocations; nil lets only operators follow.
    ///   - erasures: The parts that erase accounts; nil offers no erasures.
    ///   - pages: The settings of the pages for users, at `/account`; nil has none. They need a router at the root.
    ///   - metrics: Its metrics; a `MetricsRegistry` is also offered as `/metrics` by `addOperationRoutes(to:)`.
    ///   - tracer: Records spans; each call continues the trace of its `traceparent`.
    ///   - world: Its clocks and identifiers.
    ///   - log: Its log.
    public init(
        _ authority: SessionAuthority, settings: ServerSettings = ServerSettings(), followerKey: String? = nil,
        erasures: ErasureServing? = nil, pages: PageSettings? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory,
        tracer: any Tracer = InstrumentationSystem.tracer, world: ServerWorld = .live(), log: Logger
    ) {
        self.erasures = erasures
        let offered = pages?.offering == .offered ? pages : nil
        self.pages = offered
        library = offered.map { PageLibrary($0) }
        eventKey = erasures?.eventKey
        self.authority = authority
        self.settings = settings
        hosts = AcceptedHosts(settings, issuer: authority.settings.issuer)
        self.followerKey = followerKey
        registry = metrics as? MetricsRegistry
        self.metrics = ServerMetrics(metrics)
        tracing = CallTracing(tracer)
        followers = Followers(limit: settings.limits.followers, metrics: self.metrics)
        erasureFollowers = Followers(limit: settings.limits.followers, ofOne: 8, metrics: self.metrics)
        consoleFollowers = Followers(limit: settings.limits.followers, metrics: self.metrics)
        exportsPerSubject = erasures?.exports.map { _ in Self.exportsPerSubject(settings, world) }
        self.world = world
        self.log = log
    }

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

    private func mount<Context: RequestContext>(
        _ routes: [Route], by runner: RouteRunner, to router: some RouterMethods<Context>
    ) {
        for path in Set(routes.map(\.path)) {
            let here = routes.filter { $0.path == path }
            let allowed = here.map(\.method)
            for method in Self.methods {
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

    /// All readable methods; a method that a path does not have is answered 405.
    static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
        + [
            "QUERY", "ACL", "BIND", "CHECKOUT", "COPY", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
            "MOVE", "MSEARCH", "NOTIFY", "PROPFIND", "PROPPATCH", "PURGE", "REBIND", "REPORT", "SEARCH", "SOURCE",
            "SUBSCRIBE", "UNBIND", "UNLINK", "UNLOCK", "UNSUBSCRIBE",
        ].compactMap { HTTPRequest.Method($0) }

    /// Answers every caller.
    var runner: RouteRunner {
        let pages = library.map { RefusalPages($0, routes: routes, issuer: authority.settings.issuer) }
        return runner(for: hosts, CrossOrigin(origins: settings.origins), pages)
    }

    /// Answers operators' programs, by an address or an accepted name of the host, and no page of the web.
    var operationsRunner: RouteRunner {
        runner(for: hosts.forOperations(listeningOn: settings.operationsHost), CrossOrigin(origins: []), nil)
    }

    private func runner(
        for hosts: AcceptedHosts, _ crossOrigin: CrossOrigin, _ pages: RefusalPages?
    ) -> RouteRunner {
        let limits = settings.limits
        return RouteRunner(
            limits: limits, hosts: hosts, crossOrigin: crossOrigin, pages: pages, isSecure: settings.tls != nil,
            clientAddressField: settings.clientAddressField.flatMap { HTTPField.Name($0) },
            callsPerAddress: rateLimit(limits.callsPerAddress, burst: limits.burstPerAddress), metrics: metrics,
            tracing: tracing, timeouts: CallTimeouts(limit: .seconds(limits.requestTimeout), world: world), world: world
        )
    }

    func rateLimit(_ calls: Int, burst: Int) -> RateLimit {
        let world = world
        return RateLimit(
            Allowances(perWindow: calls, window: Double(settings.limits.window), burst: burst),
            seconds: { world.elapsed() / .seconds(1) })
    }

    private static func exportsPerSubject(_ settings: ServerSettings, _ world: ServerWorld) -> RateLimit {
        let allowed = settings.limits.exportsPerDay
        return RateLimit(Allowances(perWindow: allowed, window: 86_400, burst: allowed)) {
            world.elapsed() / .seconds(1)
        }
    }

    /// Deletes accounts, for routes, pages and console; nil if no erasures are taken.
    var deletion: AccountDeletion? {
        erasures.map { AccountDeletion($0, authority: authority, world: world) }
    }

    /// Exports users' data for them, for routes and pages; nil if none are offered.
    var exports: AccountExport? {
        guard let deletion, let requests = deletion.serving.exports, let exportsPerSubject else { return nil }
        return AccountExport(requests: requests, deletion: deletion, allowance: exportsPerSubject)
    }

    var operatorNames: OperatorNames { OperatorNames(authority) }

    /// The pages for users; not part of the OpenAPI description.
    var pageRoutes: [Route] { pages.map { AccountPages(server: self, settings: $0).all } ?? [] }

    /// Everything that is offered to programs, in the order of its description.
    var routes: [Route] {
        AuthRoutes(server: self).all + SessionRoutes(server: self).all
            + (deletion.map { ErasureRoutes(server: self, deletion: $0).all } ?? [])
            + (exports.map { ExportRoutes(exports: $0).all } ?? []) + OperationRoutes(server: self).all
    }
}
