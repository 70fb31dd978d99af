// SPDX-License-Identifier: Apache-2.0

/// The result of reading the system back.
public enum ConnectorReading: Sendable, Hashable {
    /// The system was read, and reports that nothing is there.
    case gone
    /// This number is left.
    case left(Int)
    /// The system cannot report it.
    case cannotTell
}
