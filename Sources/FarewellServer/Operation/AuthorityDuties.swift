// SPDX-License-Identifier: Apache-2.0

public import FarewellSessions
public import ServiceLifecycle

/// What the authority does without being asked, as a service: it looks after the revocation feed and clears away what
/// is over. To be run beside the routes, once in each process.
public struct AuthorityDuties: Service, CustomStringConvertible {
    private let authority: SessionAuthority

    public init(_ authority: SessionAuthority) { self.authority = authority }

    /// Shows nothing of the authority, for a log tells the name of each service.
    public var description: String { "AuthorityDuties" }

    /// Works until the task is cancelled or a graceful shutdown begins.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await authority.run() }
    }
}
