// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import Testing

struct EnglishNounTests {
    @Test(
        "SQL-09 English nouns get their singular, and a singular stays unchanged",
        arguments: [
            ("statuses", "status"), ("children", "child"), ("people", "person"), ("addresses", "address"),
            ("categories", "category"), ("movies", "movie"), ("boxes", "box"), ("branches", "branch"),
            ("houses", "house"), ("causes", "cause"), ("viruses", "virus"), ("shelves", "shelf"), ("series", "series"),
            ("bookshelves", "bookshelf"), ("housewives", "housewife"),
            ("grandchildren", "grandchild"), ("syntheses", "synthesis"), ("users", "user"), ("heroes", "hero"),
        ])
    func singular(_ plural: String, _ singular: String) {
        #expect(EnglishNoun.singular(plural) == singular)
        #expect(EnglishNoun.singular(singular) == singular)
        #expect(EnglishNoun.forms(plural).contains(singular))
    }

    @Test(
        "SCH-04 names are split into words in every spelling",
        arguments: [
            ("created_by_id", "created by"), ("createdById", "created by"), ("creatorid", "creator"), ("userID", "user"),
            ("UserId", "user"), ("updater_id", "updater"), ("watcher_ids", "watcher"), ("owner_uuid", "owner"),
            ("id_customer", "customer"), ("fk_order_detail", "order detail"), ("ID_USUARIO", "usuario"), ("idUser", "user"),
        ])
    func keys(_ column: String, _ words: String) {
        let name = KeyName(column)
        #expect(name.isKey)
        #expect(name.words.joined(separator: " ") == words)
    }

    @Test(
        "SCH-01 words that only resemble keys do not count as keys",
        arguments: [
            "paid", "grid", "valid", "android", "active", "blocked", "max_sessions_per_user", "with_role_owner", "users", "id_card",
            "id_token", "id_document_front",
        ])
    func noKeys(_ column: String) {
        #expect(!KeyName(column).mayHoldKey)
    }

    @Test(
        "PL-3 the name of a column shows its meaning for the row",
        arguments: [
            ("user_id", PersonNames.Role.owner), ("author", .owner), ("created_by", .maker), ("creatorId", .maker),
            ("granter_id", .handler), ("approved_by", .handler), ("resolvedById", .handler), ("updated_by_user_id", .handler),
            ("inviter_id", .handler), ("receiver_id", .otherSide), ("stargazer_id", .doer),
        ])
    func roles(_ column: String, _ role: PersonNames.Role) {
        #expect(PersonNames.role(column) == role)
    }

    @Test(
        "PL-8 SCH-04 names in ASCII are split like names with other letters",
        arguments: [
            "user", "createdByUser_2nd", "HTTPServer", "_owner__id", "userIDs", "2fa_secret", "x", "a1b2c", "ID_USER_name", "\\u{41}pp",
            "order-no ref",
        ])
    func words(_ name: String) {
        var other = NameWords.of(name + "ß")
        // The last letter is small, so the further one belongs to its word.
        if let last = other.popLast() { other.append(String(last.dropLast())) }
        #expect(NameWords.of(name) == other)
        #expect(NameWords.of(name).allSatisfy { !$0.isEmpty && $0 == $0.lowercased() })
    }
}
