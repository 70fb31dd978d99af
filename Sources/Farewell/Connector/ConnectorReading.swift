// SPDX-License-Identifier: Apache-2.0

/// What a look at the system found.
public enum ConnectorReading: Sendable, Hashable {
    /// The system was asked, and says that nothing is there.
    case gone
    /// So much is there.
    case left(Int)
    /// The system has no way to tell.
    case cannotTell
}
