// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Logging
public import ServiceLifecycle

/// A ``TokenVerifier`` with everything around it: an HTTP client of its own that gets key sets and follows the feed of
/// revocations.
///
/// ```swift
/// let tokens = try VerifierService(
///     trusting: [.farewell("https://auth.example.org/auth/v1")],
///     following: .init("https://auth.example.org/v1/revocations", bearer: key), log: log)
/// let services = ServiceGroup(services: [tokens, server], logger: log)
/// ```
public struct VerifierService: Service {
    /// Where the feed of revocations is.
    public struct Feed: Sendable {
        public let address: String
        let bearer: String?

        /// `bearer` is the key that the server asks its followers for, if it asks for one.
        public init(_ address: String, bearer: String? = nil) {
            self.address = address
            self.bearer = bearer
        }
    }

    public let verifier: TokenVerifier
    private let follower: RevocationFollower?
    private let client: OwnHTTPClient

    /// Opens nothing yet. ``run()`` must be called once: it follows the feed, and closes what was opened.
    ///
    /// Throws as ``TokenVerifier/init(trusting:settings:revocations:fetching:environment:)`` does, and
    /// `verifier.address`.
    public init(
        trusting issuers: [TrustedIssuer], following feed: Feed? = nil,
        settings: VerifierSettings = VerifierSettings(), log: Logger
    ) throws(FarewellError) {
        let environment = VerifierEnvironment.live(log: log)
        let client = OwnHTTPClient()
        self.client = client
        var list: RevocationList?
        if let feed {
            let known = RevocationList(retention: settings.retention(of: issuers), environment: environment)
            let streaming = try HTTPRevocationStreaming(
                address: feed.address, bearer: feed.bearer, client: { try client.client() })
            follower = RevocationFollower(streaming, into: known, environment: environment)
            list = known
        } else {
            follower = nil
        }
        verifier = try TokenVerifier(
            trusting: issuers, settings: settings, revocations: list,
            fetching: HTTPKeySetFetching(client: { try client.client() }), environment: environment)
    }

    /// The freshness of the feed; `nil` if none is followed.
    public var freshness: FeedFreshness? { follower?.freshness }

    /// Follows the feed until the task is cancelled or a graceful shutdown begins, then closes the HTTP client.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            if let follower {
                await follower.run()
            } else {
                let (untilCancelled, end) = AsyncStream.makeStream(of: Void.self)
                for await _ in untilCancelled {}
                end.finish()
            }
        }
        try await client.close()
    }
}
