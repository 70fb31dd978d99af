// SPDX-License-Identifier: Apache-2.0

public import FarewellSessions
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
    /// How often one subject may have an erasure previewed: each time all their rows are counted, and third-party
    /// systems are asked, whose own limits all users share.
    let previewsPerSubject: RateLimit
    let proxyNotice = ProxyNotice()
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
        exportsPerSubject = erasures?.exports.map { _ in
            Self.perSubject(settings.limits.exportsPerDay, window: 86_400, world)
        }
        previewsPerSubject = Self.perSubject(30, window: 300, world)
        self.world = world
        self.log = log
    }

    func rateLimit(_ calls: Int, burst: Int) -> RateLimit {
        let world = world
        return RateLimit(
            Allowances(perWindow: calls, window: Double(settings.limits.window), burst: burst),
            seconds: { world.elapsed() / .seconds(1) })
    }

    /// - Parameter window: In seconds.
    private static func perSubject(_ calls: Int, window: Double, _ world: ServerWorld) -> RateLimit {
        RateLimit(Allowances(perWindow: calls, window: window, burst: calls)) { world.elapsed() / .seconds(1) }
    }
}
