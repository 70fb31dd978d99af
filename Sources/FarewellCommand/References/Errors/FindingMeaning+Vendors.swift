// SPDX-License-Identifier: Apache-2.0

extension FindingMeaning {
    static let all = (others + links + vendors).sorted { $0.code < $1.code }

    /// Findings about third-party systems, and about tables, files and columns of vendors.
    static let vendors: [FindingMeaning] = [
        .init(
            "authority.new-column",
            "A new version added a column to a table of Farewell's own sign-in; the table's rule applies to it.",
            "farewell init --merge adds it to the plan."),
        .init(
            "authority.new-table",
            "A new version added a table to Farewell's own sign-in; an erasure treats it as a new plan would.",
            "farewell init --merge adds it to the plan."),
        .init(
            "system.settings", "A third-party system of the plan has an unknown kind or unusable settings.",
            "Correct systems in the plan; the settings of each kind are in the reference of the plan."),
        .init(
            "vendor.bucket", "The plan has no system for a bucket, so its files would stay.",
            "farewell init --merge adds a system for it."),
        .init(
            "vendor.files", "The vendor's table lists files, and the plan has no system that deletes them.",
            "Add a system for each bucket, or give the table an entry."),
        .init(
            "vendor.new-column",
            "The owner of a table, a vendor or an extension, added a column; the table's rule applies to it.",
            "Give it a rule of its own if that is wrong."),
        .init(
            "vendor.new-table",
            "A vendor's table is newer than Farewell's profile of the vendor. A warning: its rows may be a user's.",
            "farewell init --merge asks whose they are. Or give it an entry."),
        .init(
            "vendor.not-personal",
            "The vendor stores data of users in a table that the plan calls not personal or leaves out.",
            "Remove the entry, if there is one; farewell init --merge proposes another one."),
        .init(
            "vendor.place", "The plan leaves tables to a vendor that does not own them.",
            "Give them entries of their own."),
        .init(
            "vendor.removed",
            "The vendor has removed a table or a column that the plan names, so nothing is left to erase there.",
            "If the vendor has renamed it, correct the name."),
        .init(
            "vendor.unknown", "The plan leaves tables to an unknown vendor.",
            "Name a known vendor, or give the tables entries."),
        .init(
            "vendor.versions", "A bucket keeps earlier versions of its files, and deleting a file leaves them.",
            "Move the files into a bucket without versioning, and delete this one with all versions."),
    ]
}
