// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// How long sessions last. `nil` means without end.
public struct SessionLifetime: Sendable, Hashable {
    /// A session ends if it is not refreshed for this long.
    public var inactivity: Duration?
    /// A session ends this long after its sign-in, even if it is in use.
    public var absolute: Duration?

    /// 60 days of inactivity, a year in all.
    public init(inactivity: Duration? = .seconds(60 * 86_400), absolute: Duration? = .seconds(365 * 86_400)) {
        self.inactivity = inactivity
        self.absolute = absolute
    }

    /// When a session that begins now ends at the latest.
    public func end(of start: Date) -> Date? { absolute.map { start.addingTimeInterval($0 / .seconds(1)) } }

    /// The moment before which a session must have been refreshed to be alive now.
    public func idleSince(_ now: Date) -> Date? { inactivity.map { now.addingTimeInterval(-($0 / .seconds(1))) } }

    /// Why a session is over, or `nil` while it lives.
    public func expiry(refreshedAt: Date, notAfter: Date?, now: Date) -> SessionExpiry? {
        if let notAfter, notAfter <= now { return .absolute }
        if let idleSince = idleSince(now), refreshedAt <= idleSince { return .inactivity }
        return nil
    }
}
