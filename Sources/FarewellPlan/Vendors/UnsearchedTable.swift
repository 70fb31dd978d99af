// SPDX-License-Identifier: Apache-2.0
package import Farewell
import FarewellSQL

/// A table of a vendor that the facts do not know, in which rows of the subject may stay: no cascading key of the
/// database deletes all of them, and the plan has no entry for it.
package struct UnsearchedTable: Sendable, Hashable {
    package let table: TableName
    /// The vendor's name in sentences.
    let vendor: String
    /// The day of the facts.
    let date: String
    /// The columns that may name a user; first those that the database empties when the user is deleted.
    let columns: [String]
    /// The columns that the database empties.
    let emptied: Set<String>

    /// - Parameters:
    ///   - links: Those of the entry that follows from cascading keys.
    ///   - erased: The tables whose rows an erasure deletes.
    init?(
        _ table: SchemaTable, _ profile: VendorProfile, links: [Link], erased: Set<TableName>, _ map: SchemaMap
    ) {
        // Each row is deleted with the row that it cannot be without.
        let isOwned = links.contains { link in link.columns.allSatisfy { table[$0]?.isNullable == false } }
        guard !isOwned else { return nil }
        let keys = map.keys(of: table.name).map(\.key)
        let emptied = keys.filter { erased.contains($0.target) && $0.target != table.name }
            .flatMap(\.emptiedColumns)
        let bound = Set(keys.flatMap(\.columns))
        let named = table.columns.filter { !bound.contains($0.name) && Self.mayNameUser($0) }.map(\.name)
        columns = emptied.exactlyDistinct + named
        guard !columns.isEmpty || links.isEmpty else { return nil }
        self.emptied = Set(emptied)
        self.table = table.name
        (vendor, date) = (profile.title, profile.date)
    }

    /// The same for readers of previews, receipts and findings.
    package var place: UnsearchedPlace {
        let what = columns.isEmpty ? "" : "; \(columns.joined(separator: ", ")) may name a user"
        return UnsearchedPlace(
            place: table.description, reason: "not in this version's facts about \(vendor) of \(date)\(what)")
    }

    private static func mayNameUser(_ column: SchemaColumn) -> Bool {
        guard [.text, .uuid, .integer, .json].contains(column.kind) else { return false }
        // A plain name is that of a setting, and most doers are clients and providers.
        if PersonNames.isIdentifier(column) { return PersonNames.words(column.name) != ["name"] }
        return PersonNames.role(column.name).map { $0 != .doer } ?? false
    }
}

extension Plan {
    /// The vendors' tables in which rows of the subject may stay, in name order: the facts do not know them.
    package func unsearched(in schema: Schema) -> [UnsearchedTable] {
        vendors.isEmpty ? [] : CompletedPlan(self, SchemaMap(schema)).unsearched
    }
}
