// SPDX-License-Identifier: Apache-2.0

/// Something a receipt cannot vouch for, said plainly.
public struct ReceiptNote: Sendable, Hashable, Codable {
    /// Its topic, e.g. `back-ups`.
    public var about: String
    public var note: String
    /// The day after which it no longer holds, if that is known.
    public var expires: CalendarDay?

    private enum CodingKeys: String, CodingKey { case about, expires, note }

    public init(about: String, note: String, expires: CalendarDay? = nil) {
        self.about = about
        self.note = note
        self.expires = expires
    }

    /// PostgreSQL keeps deleted row versions until they are vacuumed (PostgreSQL 15, 25.1.2).
    public static let postgreSQLDeadRows = ReceiptNote(
        about: "deleted row versions",
        note: "PostgreSQL keeps the bytes of deleted rows in its files until VACUUM has removed them.")

    /// Deleted values stay in the write-ahead log until its segments are recycled.
    public static let postgreSQLLog = ReceiptNote(
        about: "write-ahead log",
        note: "Earlier values stay in the database's write-ahead log and its archive until these are recycled.")

    /// Replicas apply the deletion later and were not read.
    public static let replicas = ReceiptNote(
        about: "replicas", note: "Replicas delete the data later; they were not read.")

    /// Back-ups made before the erasure still hold the data until they expire.
    public static func backups(expire: CalendarDay?) -> ReceiptNote {
        ReceiptNote(
            about: "back-ups",
            note: "Back-ups made before the erasure still contain the data; after a restore it is erased again.",
            expires: expire)
    }

    /// The topic of a note about files that an erasure left unchanged.
    package static let filesThatStay = "files that stay"

    /// The topic of a note about names in third-party systems that also belong to other subjects.
    package static let sharedNames = "names in other systems"

    /// The topic of a note about places in which the subject's names are unknown.
    package static let unknownNames = "names that are not known"

    /// The rows that named the subject in some places were deleted before the erasure.
    package static func namesUnknown(in places: [String]) -> ReceiptNote {
        ReceiptNote(
            about: unknownNames,
            note: "The subject's data in \(places.joined(separator: ", ")) was not looked for: the row that held the "
                + "subject's name there was gone before the erasure. Data may be left there.")
    }

    /// A deep scan was requested, and the subject has no searchable name.
    package static let nothingToSearchFor = ReceiptNote(
        about: "other columns",
        note: "Not searched: every known identifier of the subject is too short.")

    /// A file that was erased has another name outside the places of this user.
    public static func otherNames(of files: Int, in store: String) -> ReceiptNote {
        ReceiptNote(about: store, note: "Another name remains for erased files (hard links): \(files).")
    }
}
