// SPDX-License-Identifier: Apache-2.0

/// The clock by which a connector decides that a day has come, in seconds since 1970.
///
/// One wrong clock must not end what cannot be restored, such as a subscription that was paid for.
public enum ConnectorTime: Sendable, Hashable {
    /// The connector's own clock decides.
    case own
    /// The clock that decides for the erasure.
    case decided(Double)
    /// The same clock while it is not trusted: nothing irreversible ends by it.
    case doubtful(Double)
}
