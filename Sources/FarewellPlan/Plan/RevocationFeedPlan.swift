// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

/// What becomes of the session authority's feed of revocations, which is Farewell's own and so is known.
///
/// Its entries name people by their identifier and must outlive them: only by them do other services learn that a
/// person's tokens are no longer good. They go by themselves when the last of these tokens has expired.
struct RevocationFeedPlan {
    private let feed: SchemaTable
    private let users: TableName

    /// The feed and its people, on PostgreSQL and on SQLite.
    private static let names = zip(AuthorityTableName.spellings("revocations"), AuthorityTableName.spellings("users"))

    /// `nil` where the authority keeps no people in this schema.
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

    /// Its entry in a plan in which the authority's people are erased.
    func entry(erased: Set<TableName>) -> TablePlan? {
        guard erased.contains(users) else { return nil }
        let kept: Set<String> = ["session_id", "subject"]
        return TablePlan(
            table: feed.name,
            rule: .retain(
                Retention(
                    reason: "Other services must know that the person's tokens are no longer good.",
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
