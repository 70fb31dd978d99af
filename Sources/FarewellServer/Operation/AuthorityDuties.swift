// SPDX-License-Identifier: Apache-2.0

public import FarewellSessions
public import ServiceLifecycle

/// The authority's background duties, as a service: it follows the revocation feed and deletes expired data. Run one
/// beside the routes in each process.
public struct AuthorityDuties: Service, CustomStringConvertible {
    private let authority: SessionAuthority

    public init(_ authority: SessionAuthority) { self.authority = authority }

    /// Shows nothing of the authority, because a log names each service.
    public var description: String { "AuthorityDuties" }

    /// Works until the task is cancelled or a graceful shutdown begins.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await authority.run() }
    }
}
