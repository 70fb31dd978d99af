// SPDX-License-Identifier: Apache-2.0

/// The part of a third-party system's data that an export contains. It changes no erasure.
public struct SystemExportRule: Sendable, Hashable {
    /// Whether the system is read at all.
    public var isIncluded = true
    /// Names of values that are left out, besides those whose names say that they are secrets.
    public var omit: [String] = []
    /// Names of values that are no secrets, although they sound like it.
    public var keep: [String] = []

    public init(isIncluded: Bool = true, omit: [String] = [], keep: [String] = []) {
        self.isIncluded = isIncluded
        self.omit = omit
        self.keep = keep
    }
}
