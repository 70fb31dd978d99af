// SPDX-License-Identifier: Apache-2.0

/// A folder of files that belong to subjects, below a root that no path may leave.
public struct FolderPlan: Sendable, Hashable {
    /// The store's name in receipts and steps, e.g. `photos`.
    public var name: String
    /// The root folder, absolute or relative to the plan file. Never followed through symbolic links.
    public var root: String
    public var location: Location
    /// Whether no subject may have files there yet, so that an empty folder is no sign of a wrong one.
    public var mayBeEmpty: Bool

    /// How the subject's files are found below the root.
    public enum Location: Sendable, Hashable {
        /// Everything below one folder for each subject; `{subject}` is the subject's key: `{subject}/`.
        case folder(template: String)
        /// The files named by a column of a planned table, relative to the root.
        case column(ColumnName)
    }

    public init(name: String, root: String, location: Location, mayBeEmpty: Bool = false) {
        self.name = name
        self.root = root
        self.location = location
        self.mayBeEmpty = mayBeEmpty
    }
}
