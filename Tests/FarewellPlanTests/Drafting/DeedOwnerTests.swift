// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Keys that tell what a user did, beside something that may make the row another user's")
struct DeedOwnerTests {
    private static let user = "integer REFERENCES users (id)"

    /// The first answers by table and column, and the tables whose rows are deleted without an answer.
    private static func check(
        _ dialect: SQLDialect, _ tables: [String], first: [String: PlanQuestion.Answer], erased: Set<String> = ["users"]
    ) async throws {
        let script = "CREATE TABLE users (id integer PRIMARY KEY, uuid text UNIQUE, email text UNIQUE);\n"
        try await EngineFixture.with(dialect, script + tables.map { "CREATE TABLE \($0);\n" }.joined()) { house in
            let schema = try await Schema.read(from: house.database)
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            for (place, answer) in first {
                let question = plan.questions.first { "\($0.table.name).\($0.columns.last ?? "")" == place && $0.link != nil }
                #expect(question?.answers.first == answer, "\(place): \(plan.questions)")
            }
            #expect(Set(plan.tables.filter { $0.rule.erasesRows }.map(\.table.name)) == erased, "\(plan.tables)")
        }
    }

    @Test(
        "PL-1 PL-3 a key to a user that tells a deed is asked about beside a column without a key that names the owner",
        arguments: SQLDialect.allCases)
    func beside(_ dialect: SQLDialect) async throws {
        try await Self.check(
            dialect,
            [
                "files (id integer PRIMARY KEY, title text, user_id integer, uploader_id \(Self.user))",
                "papers (id integer PRIMARY KEY, title text, user_id integer, uploader_id \(Self.user) NOT NULL)",
                "deeds (id integer PRIMARY KEY, title text, owner_id integer, signed_by \(Self.user))",
                "notices (id integer PRIMARY KEY, title text, user_uuid text, posted_by \(Self.user))",
                "cards (id integer PRIMARY KEY, title text, owner_id integer, user_id \(Self.user) NOT NULL)",
            ],
            first: [
                "files.user_id": .owner, "files.uploader_id": .reference, "papers.user_id": .owner,
                "papers.uploader_id": .reference, "deeds.owner_id": .owner, "deeds.signed_by": .reference,
                "notices.user_uuid": .owner, "notices.posted_by": .reference,
            ], erased: ["users", "cards"])
    }

    @Test("PL-1 PL-3 a row is not given through another to a user unasked where a column may name its own", arguments: SQLDialect.allCases)
    func indirect(_ dialect: SQLDialect) async throws {
        let album = "integer REFERENCES albums (id)"
        try await Self.check(
            dialect,
            [
                "albums (id integer PRIMARY KEY, owner_id \(Self.user) NOT NULL)",
                "photos (id integer PRIMARY KEY, album_id \(album), user_id integer, path text)",
                "stickers (id integer PRIMARY KEY, album_id \(album) NOT NULL, user_id integer, path text)",
                "captions (id integer PRIMARY KEY, album_id \(album) NOT NULL, body text)",
            ], first: ["photos.album_id": .reference, "stickers.album_id": .owner],
            erased: ["users", "albums", "captions"])
    }

    @Test(
        "PL-1 PL-3 a key that only tells a deed owns no row unasked, unless the row is the deed and names no other person",
        arguments: SQLDialect.allCases)
    func alone(_ dialect: SQLDialect) async throws {
        try await Self.check(
            dialect,
            [
                "reports (id integer PRIMARY KEY, patient_name text, finding text, signed_by \(Self.user) NOT NULL)",
                "tickets (id integer PRIMARY KEY, customer_email text, body text, answered_by \(Self.user))",
                "products (id integer PRIMARY KEY, title text, requested_by \(Self.user))",
                "parcels (id integer PRIMARY KEY, recipient_name text, sent_by \(Self.user))",
                "releases (id integer PRIMARY KEY, version text, signed_by \(Self.user) NOT NULL)",
                "charts (id integer PRIMARY KEY, patient_name text, doctor_id \(Self.user) NOT NULL)",
                "bookings (id integer PRIMARY KEY, guest_name text, booked_by \(Self.user))",
                "signatures (id integer PRIMARY KEY, place text, signed_by \(Self.user))",
                "orders (id integer PRIMARY KEY, total integer, placed_by \(Self.user))",
                "images (id integer PRIMARY KEY, path text, uploader_id \(Self.user))",
            ],
            first: [
                "reports.signed_by": .reference, "tickets.answered_by": .reference, "products.requested_by": .reference,
                "parcels.sent_by": .reference, "releases.signed_by": .owner, "charts.doctor_id": .reference,
                "bookings.booked_by": .reference,
            ], erased: ["users", "signatures", "orders", "images"])
    }

    @Test("PL-1 PL-3 the user who saved a version of a page, or requested a review, does not own it first", arguments: SQLDialect.allCases)
    func versions(_ dialect: SQLDialect) async throws {
        try await Self.check(
            dialect,
            [
                "pages (id integer PRIMARY KEY, owner_id \(Self.user) NOT NULL, title text)",
                "revisions (id integer PRIMARY KEY, page_id integer NOT NULL, user_id \(Self.user), content text)",
                "versions (id integer PRIMARY KEY, page_id integer NOT NULL, user_id integer, content text)",
                "states (id integer PRIMARY KEY, page_id integer NOT NULL REFERENCES pages (id), requested_by_id \(Self.user))",
                "replies (id integer PRIMARY KEY, post integer NOT NULL, user_id \(Self.user), body text)",
                "shop_historicalpage (history_id integer PRIMARY KEY, id integer NOT NULL, title text, "
                    + "history_date timestamp NOT NULL, history_type text NOT NULL, history_user_id \(Self.user))",
            ],
            first: [
                "revisions.user_id": .reference, "versions.user_id": .reference, "states.requested_by_id": .reference,
                "shop_historicalpage.history_user_id": .reference,
            ],
            erased: ["users", "pages", "replies"])
    }

    @Test("PL-1 PL-3 a row that belongs to a project does not go first with the user whom it may name", arguments: SQLDialect.allCases)
    func groups(_ dialect: SQLDialect) async throws {
        let project = "project_id integer NOT NULL REFERENCES projects (id)"
        try await Self.check(
            dialect,
            [
                "projects (id integer PRIMARY KEY, title text)",
                "tasks (id integer PRIMARY KEY, \(project), user_id \(Self.user), title text)",
                "jobs (id integer PRIMARY KEY, \(project), user_id \(Self.user), approver_id \(Self.user), title text)",
                "documents (id integer PRIMARY KEY, \(project), uploaded_by \(Self.user), title text)",
                "comments (id integer PRIMARY KEY, \(project), user_id \(Self.user), body text)",
                "photos (id integer PRIMARY KEY, \(project), user_id \(Self.user), path text)",
                "project_users (id integer PRIMARY KEY, \(project), user_id \(Self.user))",
                "bills (id integer PRIMARY KEY, \(project), user_id \(Self.user) NOT NULL, cents integer)",
            ], first: ["tasks.user_id": .reference, "jobs.user_id": .reference, "documents.uploaded_by": .reference],
            erased: ["users", "comments", "photos", "project_users", "bills"])
    }

    @Test(
        "PL-1 PL-3 a row that belongs to a project stays first if a column without a key may name the user, and so do its parts",
        arguments: SQLDialect.allCases)
    func undeclaredGroups(_ dialect: SQLDialect) async throws {
        let project = "project_id integer NOT NULL REFERENCES projects (id)"
        try await Self.check(
            dialect,
            [
                "projects (id integer PRIMARY KEY, title text)",
                "tasks (id integer PRIMARY KEY, \(project), owner_id integer, title text)",
                "subtasks (id integer PRIMARY KEY, task_id integer NOT NULL REFERENCES tasks (id), title text)",
                "jobs (id integer PRIMARY KEY, \(project), user_id integer, title text)",
                "comments (id integer PRIMARY KEY, \(project), user_id integer, body text)",
                "photos (id integer PRIMARY KEY, \(project), user_id integer, path text)",
                "project_users (id integer PRIMARY KEY, \(project), user_id integer)",
                "bills (id integer PRIMARY KEY, \(project), user_id integer NOT NULL, cents integer)",
                "errands (id integer PRIMARY KEY, project_id integer REFERENCES projects (id), user_id integer, title text)",
            ],
            first: [
                "tasks.owner_id": .reference, "subtasks.task_id": .unrelated, "jobs.user_id": .reference,
                "comments.user_id": .owner, "photos.user_id": .owner, "project_users.user_id": .owner,
                "bills.user_id": .owner, "errands.user_id": .owner,
            ])
    }

    @Test(
        "PL-1 PL-3 beside the owner, users by another noun or by what they did are not first offered as owners, without any key",
        arguments: SQLDialect.allCases)
    func undeclared(_ dialect: SQLDialect) async throws {
        for (null, first) in [("", PlanQuestion.Answer.reference), (" NOT NULL", .unrelated)] {
            try await Self.check(
                dialect,
                [
                    "incidents (id integer PRIMARY KEY, ownerid integer NOT NULL, commanderuserid integer\(null), "
                        + "reporteruserid integer\(null), title text)",
                    "calls (id integer PRIMARY KEY, user_id integer NOT NULL, requested_by integer\(null), title text)",
                ],
                first: [
                    "incidents.ownerid": .owner, "incidents.commanderuserid": first, "incidents.reporteruserid": first,
                    "calls.user_id": .owner, "calls.requested_by": first,
                ])
        }
    }
}
