// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

/// The plan for the session authority's feed of revocations, which is Farewell's own and therefore known.
///
/// Its entries name users by their identifier and must outlive them: only from them do other services learn that a
/// user's tokens are no longer valid. The server deletes them when the last of these tokens has expired.
struct RevocationFeedPlan {
    private let feed: SchemaTable
    private let users: TableName

    /// The feed and its users, on PostgreSQL and on SQLite.
    private static let names = zip(AuthorityTableName.spellings("revocations"), AuthorityTableName.spellings("users"))

    /// `nil` if the authority keeps no users in this schema.
    init?(_ map: SchemaMap) {
        for (feed, users) in Self.names {
            guard let table = map[feed], map[users]?["id"] != nil,
                table.columns.map(\.name) == ["id", "feed_cursor", "session_id", "subject", "reason", "revoked_at"]
            else { continue }
            (self.feed, self.users) = (table, users)
            return
        }
        return nil
    }

    var name: TableName { feed.name }

    /// Its entry in a plan in which the authority's users are erased.
    func entry(erased: Set<TableName>) -> TablePlan? {
        guard erased.contains(users) else { return nil }
        let kept: Set<String> = ["session_id", "subject"]
        return TablePlan(
            table: feed.name,
            rule: .retain(
                Retention(
                    reason: "Other services must know that the user's tokens are no longer valid.",
                    period: Period(2, .day))),
            links: [Link(columns: ["subject"], target: users, targetColumns: ["id"])],
            columns: feed.columns.map {
                TablePlan.PlannedColumn($0.name, kept.contains($0.name) ? .retain : .notPersonal)
            })
    }
}

extension Schema {
    /// The session authority's feed of revocations: its own triggers add to it when accounts and sessions are deleted.
    package var revocationFeed: TableName? { RevocationFeedPlan(SchemaMap(self))?.name }
}
