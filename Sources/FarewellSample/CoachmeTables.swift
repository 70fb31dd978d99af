// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// The rows of `Examples/coachme`: 68 for a user, and any number of messages more for the first one.
struct CoachmeTables: Sendable {
    static let rowsPerPerson = 68
    private static let conversations = 4
    private static let messages = 52
    private static let usageLogs = 8

    let people: Int
    let messagesOfOne: Int
    let make: SampleExpressions

    /// Parents before children.
    var tables: [SampleTable] {
        [accounts, users, conversations, messages, contextProfiles, usageLogs, patternSyntheses]
    }

    private var accounts: SampleTable {
        SampleTable(
            schema: "auth", name: "users", count: people,
            columns: [
                ("id", make.uuid(.person, "n")),
                ("email", SampleNames.email("n")),
                ("phone", SampleNames.phone("n")),
                ("encrypted_password", "'$2a$10$' || " + make.text(make.uuid(.feedback, "n"))),
                ("email_confirmed_at", make.instant(of: people)),
                ("last_sign_in_at", make.instant("63072000 + n % 86400")),
                ("raw_app_meta_data", make.json("'{\"provider\": \"email\", \"providers\": [\"email\"]}'")),
                ("raw_user_meta_data", make.json("'{\"full_name\": \"' || \(SampleNames.displayName("n")) || '\"}'")),
                ("created_at", make.instant(of: people)),
                ("updated_at", make.instant(of: people)),
            ])
    }

    private var users: SampleTable {
        SampleTable(
            schema: "public", name: "users", count: people,
            columns: [
                ("id", make.uuid(.person, "n")),
                ("email", SampleNames.email("n")),
                ("display_name", SampleNames.displayName("n")),
                ("time_zone", make.one(of: ["Europe/London", "Europe/Berlin", "America/New_York"], by: "n")),
                ("subscription_status", make.one(of: ["free", "active", "trial", "free", "lapsed"], by: "n")),
                ("onboarded_at", make.instant(of: people)),
                ("created_at", make.instant(of: people)),
            ])
    }

    private var conversations: SampleTable {
        let count = people * Self.conversations
        return SampleTable(
            schema: "public", name: "conversations", count: count,
            columns: [
                ("id", make.uuid(.conversation, "n")),
                ("user_id", make.uuid(.person, "n / \(Self.conversations)")),
                ("title", make.one(of: ["A hard week", "Change of job", "Sleep", "Saying no", "Small wins"], by: "n")),
                ("created_at", make.instant(of: count)),
                ("last_message_at", make.instant("63072000 + n % 86400")),
            ])
    }

    private var messages: SampleTable {
        let ordinary = people * Self.messages
        let each = Self.messages / Self.conversations
        // Row numbers past the ordinary ones belong to the first user, in that user's conversations.
        let conversation =
            messagesOfOne == 0
            ? "n / \(each)" : "CASE WHEN n < \(ordinary) THEN n / \(each) ELSE n % \(Self.conversations) END"
        let person =
            messagesOfOne == 0
            ? "n / \(Self.messages)" : "CASE WHEN n < \(ordinary) THEN n / \(Self.messages) ELSE 0 END"
        let count = ordinary + messagesOfOne
        return SampleTable(
            schema: "public", name: "messages", count: count,
            columns: [
                ("id", make.uuid(.message, "n")),
                ("conversation_id", make.uuid(.conversation, conversation)),
                ("user_id", make.uuid(.person, person)),
                ("role", "CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END"),
                ("content", make.one(of: SampleSentences.coaching, by: "n") + " || ' (' || n || ')'"),
                ("token_count", "(12 + n % 40)::int"),
                ("created_at", make.instant(of: count)),
            ])
    }

    private var contextProfiles: SampleTable {
        SampleTable(
            schema: "public", name: "context_profiles", count: people,
            columns: [
                ("id", make.uuid(.profile, "n")),
                ("user_id", make.uuid(.person, "n")),
                ("summary", "\(SampleNames.firstName("n")) || ' wants calmer days and clearer limits at work.'"),
                ("goals", make.json("'{\"goal\": \"rest\", \"name\": \"' || \(SampleNames.firstName("n")) || '\"}'")),
                ("updated_at", make.instant(of: people)),
            ])
    }

    private var usageLogs: SampleTable {
        let count = people * Self.usageLogs
        return SampleTable(
            schema: "public", name: "usage_logs", count: count,
            columns: [
                ("id", "m + 1"),
                ("user_id", make.uuid(.person, "n / \(Self.usageLogs)")),
                // The coach's own messages have the odd numbers among a user's.
                (
                    "message_id",
                    make.uuid(.message, "n / \(Self.usageLogs) * \(Self.messages) + n % \(Self.usageLogs) * 2 + 1")
                ),
                ("model", make.one(of: ["small", "large"], by: "n")),
                ("input_tokens", "(200 + n % 900)::int"),
                ("output_tokens", "(50 + n % 300)::int"),
                ("cost_usd", "(n % 900) * 0.00001"),
                ("created_at", make.instant(of: count)),
            ])
    }

    private var patternSyntheses: SampleTable {
        SampleTable(
            schema: "public", name: "pattern_syntheses", count: people,
            columns: [
                ("id", make.uuid(.synthesis, "n")),
                ("user_id", make.uuid(.person, "n")),
                ("pattern", make.one(of: ["Says yes too soon", "Plans late at night", "Forgets own wins"], by: "n")),
                ("evidence", make.json("'[\"' || \(make.text(make.uuid(.conversation, "n * 4"))) || '\"]'")),
                ("confidence", "0.5 + (n % 50) * 0.01"),
                ("created_at", make.instant(of: people)),
            ])
    }
}
