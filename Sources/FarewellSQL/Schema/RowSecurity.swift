// SPDX-License-Identifier: Apache-2.0
/// Row security of a table.
public struct RowSecurity: Sendable, Hashable, Codable {
    public var isEnabled: Bool
    /// Applies to the table's owner too.
    public var isForced: Bool
    /// Whether it would hide rows from the connected role.
    public var appliesToRole: Bool

    public init(isEnabled: Bool = false, isForced: Bool = false, appliesToRole: Bool = false) {
        self.isEnabled = isEnabled
        self.isForced = isForced
        self.appliesToRole = appliesToRole
    }
}
