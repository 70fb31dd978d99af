// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Columns without a key that may name rows which the subject's rows own.
struct KeylessNameTests {
    private static let media = SchemaSketch.table("media", "id int pk", "path text")
    private static let posts = SchemaSketch.table(
        "posts", "id int pk", "user_id int not-null -> users.id cascade", "media_id int -> media.id", "body text")

    private static func question(_ users: [String], _ tables: SchemaTable...) throws -> PlanQuestion {
        let root = SchemaSketch.table("users", ["id int pk", "email text unique"] + users)
        let schema = Schema(dialect: .postgresql, tables: [root, media, posts] + tables)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        return try #require(plan.questions.first { $0.table == media.name && $0.link?.isOwnedParent == true })
    }

    @Test("PL-3 SCH-08 a file that columns without a key may name is not first offered as the user's, and they are named")
    func named() throws {
        let user = "user_id int not-null -> users.id cascade"
        let plain = try Self.question([], SchemaSketch.table("messages", "id int pk", user, "media_count int", "social_media text"))
        #expect(plain.answers == [.owner, .unrelated], "\(plain)")
        let found = try Self.question(
            ["avatar_id int"], SchemaSketch.table("messages", "id int pk", user, "media_id int"),
            SchemaSketch.table("albums", "id int pk", user, "media_ids jsonb", "cover_media_id int"),
            SchemaSketch.table("attachments", "id int pk", "media_id int", "record_type text", "record_id int"))
        #expect(found.answers == [.unrelated, .owner], "\(found)")
        for column in ["users.avatar_id", "messages.media_id", "albums.media_ids", "albums.cover_media_id", "attachments.media_id"] {
            #expect(found.reason.contains(column), "\(column): \(found.reason)")
        }
    }

    @Test("PL-3 SCH-08 a column that names another table, has a key or another type names no file")
    func others() throws {
        let found = try Self.question(
            ["avatar_id int -> avatars.id", "photo_id uuid"], SchemaSketch.table("avatars", "id int pk", "path text"),
            SchemaSketch.table("documents", "id int pk", "title text"),
            SchemaSketch.table("pages", "id int pk", "document_id int", "user_id int not-null -> users.id cascade"))
        #expect(found.answers == [.owner, .unrelated], "\(found)")
    }
}
