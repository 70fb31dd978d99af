// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// The rows of `Examples/muse`. Deleting a user takes about 320: most belong to two users, so there are
/// about 175 for each.
struct MuseTables: Sendable {
    let people: Int
    let messagesOfOne: Int
    let make: SampleExpressions

    private static let messagesEach = 34
    private static let interactions = 30

    // A small number of users have fewer others to meet.
    private var swipesEach: Int { min(30, people - 1) }
    private var matchesEach: Int { min(4, people - 1) }
    private var conversationsEach: Int { min(3, matchesEach) }

    /// Parents before children.
    var tables: [SampleTable] {
        [
            accounts, profiles, preferences, languages, swipes, matches, conversations, messages, interactions,
            feedback, invites, reports,
        ].filter { $0.count > 0 }
    }

    private var accounts: SampleTable {
        SampleTable(
            schema: "auth", name: "users", count: people,
            columns: [
                ("id", make.uuid(.person, "n")),
                ("email", SampleNames.email("n")),
                ("phone", SampleNames.phone("n")),
                ("encrypted_password", "'$2a$10$' || " + make.text(make.uuid(.synthesis, "n"))),
                ("raw_user_meta_data", make.json("'{\"full_name\": \"' || \(SampleNames.displayName("n")) || '\"}'")),
                ("last_sign_in_at", make.instant("63072000 + n % 86400")),
                ("created_at", make.instant(of: people)),
            ])
    }

    private var profiles: SampleTable {
        let folder = make.text(make.uuid(.person, "n"))
        return SampleTable(
            schema: "public", name: "profiles", count: people,
            columns: [
                ("id", make.uuid(.person, "n")),
                ("display_name", SampleNames.displayName("n")),
                ("bio", "\(SampleNames.firstName("n")) || ', likes trains, rain and long books'"),
                ("birth_date", make.day("7300 + n % 9000")),
                ("city", make.one(of: ["Lisbon", "Leeds", "Turin", "Bergen", "Lyon"], by: "n")),
                ("avatar_path", "\(folder) || '/1.jpg'"),
                ("photo_paths", make.json("'[\"' || \(folder) || '/1.jpg\", \"' || \(folder) || '/2.jpg\"]'")),
                ("created_at", make.instant(of: people)),
            ])
    }

    private var preferences: SampleTable {
        SampleTable(
            schema: "public", name: "user_preferences", count: people,
            columns: [
                ("user_id", make.uuid(.person, "n")),
                ("min_age", "(18 + n % 20)::int"),
                ("max_age", "(40 + n % 40)::int"),
                ("distance_km", "(5 + n % 95)::int"),
                ("notifications", make.json("'{\"matches\": true, \"messages\": true}'")),
            ])
    }

    private var languages: SampleTable {
        SampleTable(
            schema: "public", name: "user_languages", count: people * 2,
            columns: [
                ("user_id", make.uuid(.person, "n / 2")),
                ("language", "CASE n % 2 WHEN 0 THEN 'en' ELSE \(make.one(of: ["fr", "pt", "it"], by: "n")) END"),
                ("level", make.one(of: ["native", "fluent", "learning"], by: "n")),
            ])
    }

    private var swipes: SampleTable {
        SampleTable(
            schema: "public", name: "swipes", count: people * swipesEach,
            columns: [
                ("id", make.uuid(.swipe, "n")),
                ("swiper_id", make.uuid(.person, "n / \(swipesEach)")),
                ("swiped_id", make.uuid(.person, "(n / \(swipesEach) + 1 + n % \(swipesEach)) % \(people)")),
                ("direction", make.one(of: ["right", "left", "left"], by: "n")),
                ("created_at", make.instant(of: people * swipesEach)),
            ])
    }

    private var matches: SampleTable {
        SampleTable(
            schema: "public", name: "matches", count: people * matchesEach,
            columns: [
                ("id", make.uuid(.match, "n")),
                ("user1_id", make.uuid(.person, "n / \(matchesEach)")),
                ("user2_id", make.uuid(.person, partner("n / \(matchesEach)", "n % \(matchesEach)"))),
                ("created_at", make.instant(of: people * matchesEach)),
            ])
    }

    private var conversations: SampleTable {
        let (person, which) = ("n / \(conversationsEach)", "n % \(conversationsEach)")
        return SampleTable(
            schema: "public", name: "conversations", count: people * conversationsEach,
            columns: [
                ("id", make.uuid(.conversation, "n")),
                ("match_id", make.uuid(.match, "\(person) * \(matchesEach) + \(which)")),
                ("user1_id", make.uuid(.person, person)),
                ("user2_id", make.uuid(.person, partner(person, which))),
                ("created_at", make.instant(of: people * conversationsEach)),
                ("last_message_at", make.instant("63072000 + n % 86400")),
            ])
    }

    private var messages: SampleTable {
        let ordinary = people * conversationsEach * Self.messagesEach
        let count = ordinary == 0 ? 0 : ordinary + messagesOfOne
        // Row numbers past the ordinary ones are in the first user's conversations.
        let conversation =
            messagesOfOne == 0
            ? "(n / \(Self.messagesEach))"
            : "(CASE WHEN n < \(ordinary) THEN n / \(Self.messagesEach) ELSE n % \(conversationsEach) END)"
        let one = "\(conversation) / \(conversationsEach)"
        let other = partner(one, "\(conversation) % \(conversationsEach)")
        // Odd and even answer each other.
        func side(_ even: String, _ odd: String) -> String { "CASE n % 2 WHEN 0 THEN \(even) ELSE \(odd) END" }
        return SampleTable(
            schema: "public", name: "messages", count: count,
            columns: [
                ("id", make.uuid(.message, "n")),
                ("conversation_id", make.uuid(.conversation, conversation)),
                ("sender_id", make.uuid(.person, side(one, other))),
                ("receiver_id", make.uuid(.person, side(other, one))),
                ("body", make.one(of: SampleSentences.flirting, by: "n") + " || ' (' || n || ')'"),
                ("read_at", "CASE WHEN n % 5 > 0 THEN \(make.instant("63072000 + n % 86400")) END"),
                ("created_at", make.instant(of: count)),
            ])
    }

    private var interactions: SampleTable {
        let count = people * Self.interactions
        return SampleTable(
            schema: "public", name: "muse_interactions", count: count,
            columns: [
                ("id", make.uuid(.interaction, "n")),
                ("user_id", make.uuid(.person, "n / \(Self.interactions)")),
                ("prompt", make.one(of: ["An opening line", "What to wear", "A kind no"], by: "n")),
                ("suggestion", make.one(of: SampleSentences.flirting, by: "n")),
                ("created_at", make.instant(of: count)),
            ])
    }

    private var feedback: SampleTable {
        SampleTable(
            schema: "public", name: "feedback", count: people * 2,
            columns: [
                ("id", make.uuid(.feedback, "n")),
                ("user_id", make.uuid(.person, "n / 2")),
                ("rating", "(1 + n % 5)::int"),
                (
                    "comment",
                    make.one(of: ["Kind people here.", "More filters, please.", "Too many questions."], by: "n")
                ),
                ("created_at", make.instant(of: people * 2)),
            ])
    }

    private var invites: SampleTable {
        SampleTable(
            schema: "public", name: "invites", count: people * 2,
            columns: [
                ("id", make.uuid(.invite, "n")),
                ("inviter_id", make.uuid(.person, "n / 2")),
                ("invitee_email", "'friend.' || n || '@example.net'"),
                ("code", "'M' || (100000 + n * 7)"),
                ("created_at", make.instant(of: people * 2)),
            ])
    }

    private var reports: SampleTable {
        SampleTable(
            schema: "public", name: "reported_users", count: people > 1 ? people : 0,
            columns: [
                ("id", make.uuid(.report, "n")),
                ("reporter_id", make.uuid(.person, "n")),
                ("reported_id", make.uuid(.person, "(n + 1 + n % \(max(1, people - 1))) % \(people)")),
                ("reason", make.one(of: ["spam", "rude", "not the person in the photo"], by: "n")),
                ("created_at", make.instant(of: people)),
            ])
    }

    /// The partner of a user at this position: another user, with a distant number if there are enough users.
    private func partner(_ person: String, _ which: String) -> String {
        "(\(person) + 1 + (\(which)) * \(people > 30 ? 7 : 1)) % \(people)"
    }
}
