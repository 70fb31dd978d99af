// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether a session can be used as it is.
enum SessionFreshness: Sendable, Hashable, CaseIterable {
    case fresh
    /// Usable; renewed when convenient.
    case ageing
    /// Renewed before its next use.
    case stale

    /// A session is renewed in the last quarter of its life, at most 90 seconds before its end. It is not used in the
    /// last twentieth, at most the last ten seconds.
    static func of(_ session: DeviceSession, at serverTime: Date) -> SessionFreshness {
        let left = session.expiresAt.timeIntervalSince(serverTime)
        if left <= min(10, session.lifetime / 20) { return .stale }
        return left <= margin(session) ? .ageing : .fresh
    }

    /// Seconds until a session must be renewed; zero if it is due.
    static func untilAgeing(_ session: DeviceSession, at serverTime: Date) -> TimeInterval {
        max(0, session.expiresAt.timeIntervalSince(serverTime) - margin(session))
    }

    private static func margin(_ session: DeviceSession) -> TimeInterval { min(90, session.lifetime / 4) }
}
