// SPDX-License-Identifier: Apache-2.0

/// The database's action on referencing rows when the referenced row is deleted (SQL:2016, 4.19.3.1).
public enum DeleteAction: String, Sendable, Hashable, Codable, CaseIterable {
    case noAction = "no action"
    case restrict
    case cascade
    case setNull = "set null"
    case setDefault = "set default"
}
