// SPDX-License-Identifier: Apache-2.0

/// Data of the subject's that a connector does not hand over for an export. The manifest says so.
public enum ConnectorOmission: Sendable, Hashable {
    /// A value that admits its holder, by its name in the system, or that the plan leaves out.
    case value(named: String)
    /// An item that the system lists and does not hand out.
    case unreadable
}
