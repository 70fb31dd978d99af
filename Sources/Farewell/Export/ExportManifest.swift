// SPDX-License-Identifier: Apache-2.0

/// The signed text about an export: its contents, and the data that it leaves out.
package struct ExportManifest: Sendable, Hashable, Codable {
    /// One table's rows.
    package struct Table: Sendable, Hashable, Codable {
        /// The place as previews and receipts name it.
        package var place: String
        package var label: String
        /// The table's rule in the plan.
        package var rule: String
        /// Whether the rows are others' and only name the subject; of them only those values are here.
        package var areOthers: Bool
        package var rows: Int
        package var columns: [String]
        /// The columns that are left out. One of `columns` too is left out where the reason says.
        package var omitted: [Omission]
        package var csv: String
        package var json: String

        package init(
            place: String, label: String, rule: String, areOthers: Bool, rows: Int, columns: [String],
            omitted: [Omission], csv: String, json: String
        ) {
            self.place = place
            self.label = label
            self.rule = rule
            self.areOthers = areOthers
            self.rows = rows
            self.columns = columns
            self.omitted = omitted
            self.csv = csv
            self.json = json
        }

        /// The columns that are left out, and those that are left out in some rows only.
        package var omittedNames: (whole: [String], inPart: [String]) {
            let names = omitted.map(\.about).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return (names.filter { !columns.contains($0) }, names.filter(columns.contains))
        }
    }

    /// The files of one folder of the plan.
    package struct Folder: Sendable, Hashable, Codable {
        package var place: String
        package var files: Int
        package var bytes: Int
        /// The file that lists their hashes.
        package var list: String

        package init(place: String, files: Int, bytes: Int, list: String) {
            self.place = place
            self.files = files
            self.bytes = bytes
            self.list = list
        }
    }

    /// Files that an interrupted run of the export had read, and whose sources have not changed since.
    package struct Earlier: Sendable, Hashable, Codable {
        package var files: Int
        package var bytes: Int
        /// When the first interrupted run began: ISO 8601 in UTC.
        package var since: String

        package init(files: Int, bytes: Int, since: String) {
            self.files = files
            self.bytes = bytes
            self.since = since
        }
    }

    /// Something that is not in the export, and why.
    package struct Omission: Sendable, Hashable, Codable {
        package var about: String
        package var reason: String

        package init(about: String, reason: String) {
            self.about = about
            self.reason = reason
        }
    }

    /// One file of the export.
    package struct File: Sendable, Hashable, Codable {
        /// Relative to the export's folder.
        package var path: String
        package var bytes: Int
        /// In lower-case hexadecimal digits.
        package var sha256: String

        package init(path: String, bytes: Int, sha256: String) {
            self.path = path
            self.bytes = bytes
            self.sha256 = sha256
        }
    }

    package var version = 1
    package var id: String
    /// The keyed hash of the subject, as in receipts.
    package var subject: String
    /// ISO 8601 in UTC with milliseconds.
    package var createdAt: String
    package var planFingerprint: String
    package var schemaFingerprint: String
    package var engineVersion: String
    package var tables: [Table] = []
    package var folders: [Folder] = []
    package var notExported: [Omission] = []
    /// `nil` where one run has read everything.
    package var earlier: Earlier?
    package var files: [File] = []

    package init(
        id: String, subject: String, createdAt: String, planFingerprint: String, schemaFingerprint: String,
        engineVersion: String
    ) {
        self.id = id
        self.subject = subject
        self.createdAt = createdAt
        self.planFingerprint = planFingerprint
        self.schemaFingerprint = schemaFingerprint
        self.engineVersion = engineVersion
    }

    /// The subject's rows, and other users' rows that name the subject.
    package var rows: (own: Int, others: Int) {
        tables.reduce((0, 0)) { $1.areOthers ? ($0.0, $0.1 + $1.rows) : ($0.0 + $1.rows, $0.1) }
    }
}
