// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Rows of other tables that only the subject's rows name, such as a photo or an address: no key says whether they are
/// deleted with them (`users.avatar_id → avatars`).
struct OwnedParents {
    let map: SchemaMap
    /// Whether rows of a table may be a subject's.
    let isPossible: (TableName) -> Bool

    private static let things: Set<String> = [
        "avatar", "photo", "image", "picture", "file", "attachment", "blob", "upload", "asset", "media", "medium",
        "signature", "address", "detail", "preference", "setting", "credential", "secret", "biography", "bio",
        "passport",
        "resume", "recording", "voice", "video", "metadata", "medal", "selfie", "scan", "document",
    ]
    private static let personal: Set<String> = [
        "address", "street", "ip", "birthday", "birthdate", "dob", "ssn", "iban", "fax", "passport", "filename",
        "firstname",
        "lastname", "surname", "latitude", "longitude",
    ]

    /// The question about the rows that a key of an erased table names; `nil` if nothing suggests that they are the
    /// subject's.
    func question(_ key: ForeignKey, of holder: SchemaTable) -> PlanQuestion? {
        guard key.isPaired, key.target != holder.name, let parent = map[key.target],
            parent.kind == .table || parent.kind == .partitioned,
            holder.isUnique(key.columns) || isPersonal(parent) || isPart(parent, of: holder)
        else { return nil }
        let (rows, by) = (Shown.line(holder.name.description, limit: 160), key.columns.joined(separator: ", "))
        guard holder.isUnique(key.columns) || isPart(parent, of: holder) || !isShared(parent, by: key) else {
            return PlanQuestion(
                table: parent.name, columns: key.targetColumns,
                reason: "Rows of \(rows) refer to rows here by \(Shown.line(by, limit: 120)), and columns here may "
                    + "describe a person, but several users may share a row; if each row is one user's, give the table "
                    + "the rule erase and a link with `parent: owned`.",
                answers: [.unrelated])
        }
        return PlanQuestion(
            table: parent.name, columns: key.targetColumns,
            reason: "Rows of \(rows) refer to rows here by \(Shown.line(by, limit: 120)), but no key shows the owner; "
                + "owner: they are deleted with the subject's rows, unless a remaining row also refers to them.",
            link: Link(
                columns: key.targetColumns, target: holder.name, targetColumns: key.columns, isOwnedParent: true),
            answers: [.owner, .unrelated])
    }

    private func isPersonal(_ table: SchemaTable) -> Bool {
        let words = PersonNames.words(table.name.name)
        if let last = words.last, Self.things.contains(EnglishNoun.singular(last)) { return true }
        return table.columns.contains { column in
            let names = PersonNames.words(column.name)
            return column.kind == .bytes || ContactColumns.kind(column) != nil
                || column.kind != .boolean && names.contains { Self.personal.contains($0) }
                || names.elementsEqual(["file", "name"])
        }
    }

    private static let groups: Set<String> = [
        "team", "organisation", "organization", "org", "company", "tenant", "workspace", "group", "department",
        "business", "firm", "agency", "office", "branch", "division", "unit", "club", "association", "community",
        "school", "university", "faculty", "institution", "institute", "employer", "household", "family", "vendor",
        "supplier", "partner", "store", "shop", "site", "location", "country", "region", "state", "city", "plan",
        "tier", "role", "category", "brand", "network", "realm", "domain", "account",
    ]

    /// Whether several users may share a row: a team, what rows of the app refer to that are no user's, or a person
    /// under another name than the table's (`customers.support_rep_id → employees`).
    private func isShared(_ table: SchemaTable, by key: ForeignKey) -> Bool {
        let last = PersonNames.words(table.name.name).last.map { EnglishNoun.singular($0) } ?? ""
        if Self.things.contains(last) { return false }
        if Self.groups.contains(last) { return true }
        guard PersonNoun.role(last) == nil else {
            return key.columns.count != 1
                || PersonNames.stem(key.columns[0]) != PersonNames.stem(ofTable: table.name.name)
        }
        return map.keys(to: table.name).contains { $0.table != table.name && !isPossible($0.table) }
    }

    /// `documents_data` of `documents`.
    private func isPart(_ parent: SchemaTable, of holder: SchemaTable) -> Bool {
        let (words, stem) = (PersonNames.words(parent.name.name), PersonNames.words(holder.name.name))
        guard let last = stem.last, words.count > stem.count else { return false }
        return words.prefix(stem.count - 1).elementsEqual(stem.dropLast())
            && EnglishNoun.singular(words[stem.count - 1]) == EnglishNoun.singular(last)
    }
}
