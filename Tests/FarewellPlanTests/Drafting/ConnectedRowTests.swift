// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// First answers about rows of other users: liked photos, channels where others write, requests that name a thing.
struct ConnectedRowTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")
    private static let photos = SchemaSketch.table("photos", "id int pk", "title text")

    private static func plan(_ tables: SchemaTable...) throws -> Plan {
        let schema = Schema(dialect: .postgresql, tables: tables.contains { $0.name == users.name } ? tables : [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func answers(_ table: String, _ column: String, in plan: Plan) throws -> [PlanQuestion.Answer] {
        let found = plan.questions.filter { $0.table.name == table && $0.columns == [column] }
        #expect(found.count == 1, "\(table).\(column): \(plan.questions)")
        return try #require(found.first).answers
    }

    @Test("PL-3 SCH-08 a photo that users like, download or select is not first offered as theirs, whether the keys may be null or not")
    func liked() throws {
        for null in ["", "not-null "] {
            let user = "user_id int \(null)-> users.id cascade"
            let photo = "photo_id int \(null)-> photos.id cascade"
            let holders = [
                SchemaSketch.table("likes", "id int pk", user, photo),
                SchemaSketch.table("photo_views", "id int pk", user, photo, "agent text"),
                SchemaSketch.table("downloads", "id int pk", user, photo, "at timestamptz"),
                SchemaSketch.table(
                    "locks_rels", "id int pk", "order int", "path text", user, photo, "other_id int -> photos.id cascade"),
            ]
            for holder in holders {
                let answers = try Self.answers("photos", "id", in: Self.plan(Self.photos, holder))
                #expect(answers == [.unrelated, .owner], "\(holder.name) \(null)")
            }
        }
    }

    @Test("PL-3 SCH-08 a photo in a user's own row, in a row with contents or with its author stays first offered as the user's")
    func owned() throws {
        let user = "user_id int not-null -> users.id cascade"
        let holders = [
            SchemaSketch.table("listings", "id int pk", user, "photo_id int -> photos.id", "body text"),
            SchemaSketch.table("cards", "id int pk", "user_id int unique not-null -> users.id cascade", "photo_id int -> photos.id"),
            SchemaSketch.table("photo_authors", "id int pk", user, "photo_id int not-null -> photos.id cascade"),
        ]
        for holder in holders {
            let answers = try Self.answers("photos", "id", in: Self.plan(Self.photos, holder))
            #expect(answers == [.owner, .unrelated], "\(holder.name)")
        }
        // The user's own photo is asked about, and that it was also liked says nothing more.
        let own = SchemaSketch.table("users", "id int pk", "email text unique", "photo_id int -> photos.id")
        let likes = SchemaSketch.table("likes", "id int pk", user, "photo_id int not-null -> photos.id cascade")
        let plan = try Self.plan(own, Self.photos, likes)
        #expect(try Self.answers("photos", "id", in: plan) == [.owner, .unrelated])
    }

    @Test("PL-3 a row with its own user that can lose a nullable key to another's row offers reference first, declared or not")
    func nullable() throws {
        for key in ["", " -> torrents.id"] {
            let plan = try Self.plan(
                SchemaSketch.table("torrents", "id int pk", "uploader_id int"),
                SchemaSketch.table("requests", "id int pk", "user_id int not-null -> users.id cascade", "torrent_id int\(key)"),
                SchemaSketch.table("guesses", "id int pk", "user_id int not-null", "torrent_id int\(key)"),
                SchemaSketch.table("pieces", "id int pk", "torrent_id int\(key)"))
            #expect(try Self.answers("requests", "torrent_id", in: plan) == [.reference, .owner, .unrelated], "\(key)")
            #expect(try Self.answers("pieces", "torrent_id", in: plan).first == .owner, "\(key)")
            if key.isEmpty { #expect(try Self.answers("guesses", "torrent_id", in: plan).first == .reference) }
        }
    }

    @Test("PL-3 the maker of a channel where others write is first offered as a reference; the maker of a post as its owner")
    func places() throws {
        let plan = try Self.plan(
            SchemaSketch.table("channels", "id int pk", "creator_id int", "name text"),
            SchemaSketch.table("messages", "id int pk", "user_id int not-null", "channel_id int not-null", "body text"),
            SchemaSketch.table("posts", "id int pk", "created_by int", "body text"),
            SchemaSketch.table("comments", "id int pk", "user_id int not-null", "post_id int not-null", "body text"),
            SchemaSketch.table("boards", "id int pk", "created_by int", "title text"))
        #expect(try Self.answers("channels", "creator_id", in: plan) == [.reference, .owner, .unrelated])
        #expect(try Self.answers("messages", "channel_id", in: plan).first == .unrelated)
        #expect(try Self.answers("posts", "created_by", in: plan).first == .owner)
        #expect(try Self.answers("comments", "post_id", in: plan).first == .owner)
        #expect(try Self.answers("boards", "created_by", in: plan).first == .owner)
    }

    @Test("PL-3 SCH-08 lists named after the rows that use them offer not personal first, contents of one row owner")
    func lists() throws {
        let tables: [(String, PlanQuestion.Answer)] = [
            ("ticket_priorities", .unrelated), ("ticket_sources", .unrelated), ("ticket_templates", .unrelated),
            ("ticket_data", .owner), ("ticket_details", .owner), ("ticket_files", .owner),
        ]
        for (name, first) in tables {
            let tickets = SchemaSketch.table(
                "tickets", "id int pk", "user_id int not-null -> users.id cascade", "part_id int -> \(name).id", "body text")
            let plan = try Self.plan(SchemaSketch.table(name, "id int pk", "title text"), tickets)
            #expect(try Self.answers(name, "id", in: plan).first == first, "\(name)")
        }
    }

    @Test("PL-1 SCH-08 the row with a user's name and address in another table can be answered owner, a firm's cannot")
    func partners() throws {
        let plan = try Self.plan(
            SchemaSketch.table(
                "users", "id int pk", "email text unique", "partner_id int not-null -> partners.id",
                "company_id int not-null -> companies.id"),
            SchemaSketch.table("partners", "id int pk", "name text", "email text", "phone text"),
            SchemaSketch.table("companies", "id int pk", "name text", "email text", "phone text"),
            SchemaSketch.table("orders", "id int pk", "partner_id int not-null -> partners.id"))
        #expect(try Self.answers("partners", "id", in: plan) == [.unrelated, .owner])
        let question = plan.questions.first { $0.table.name == "partners" && $0.columns == ["id"] }
        #expect(question?.link?.isOwnedParent == true)
        #expect(try Self.answers("companies", "id", in: plan) == [.unrelated])
    }
}
