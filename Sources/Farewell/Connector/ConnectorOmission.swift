// SPDX-License-Identifier: Apache-2.0

/// Data of the subject that a connector leaves out of an export. The manifest lists it.
public enum ConnectorOmission: Sendable, Hashable {
    /// A value that is a secret by its name in the system, or that the plan leaves out.
    case value(named: String)
    /// An item that the system lists and does not hand out.
    case unreadable
}
