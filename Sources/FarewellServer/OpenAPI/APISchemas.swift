// SPDX-License-Identifier: Apache-2.0

/// The named shapes of the description.
enum APISchemas {
    static let all: [(String, Schema)] = [
        ("SignUp", signUp), ("Grant", grant), ("Token", token), ("User", user), ("Identity", identity),
        ("Verification", verification), ("Recovery", recovery), ("Resend", resend), ("UserChange", userChange),
        ("AdministratorChange", administratorChange), ("UserDeletion", userDeletion),
        ("UserList", userList), ("Settings", settings), ("Health", health), ("KeySet", keySet),
        ("SessionList", sessionList), ("Session", session), ("SignOut", signOut), ("Event", event),
        ("Condition", condition), ("ErasureRequest", erasureRequest), ("Erasure", erasure),
        ("ErasureStep", erasureStep),
        ("ErasurePreview", erasurePreview), ("StepUpRequest", stepUpRequest), ("StepUp", stepUp),
        ("HoldRequest", holdRequest), ("DeadLetterList", deadLetterList), ("Redelivery", redelivery),
        ("FunctionAnswer", functionAnswer), ("FunctionPending", functionPending),
        ("FunctionRefusal", functionRefusal), ("AccountAnswer", accountAnswer), ("PendingDeletion", pendingDeletion),
        ("AccountRefusal", accountRefusal), ("AccountFailure", accountFailure),
        ("ProcedureRefusal", procedureRefusal), ("AppleNotification", appleNotification),
        ("SystemMessage", systemMessage),
        ("Export", export), ("Refusal", refusal),
    ]

    // MARK: Requests

    private static let signUp = challenged([
        .may("email", .orNull(.text)), .may("phone", .orNull(.text)), .may("password", .orNull(.text)),
        .may("data", .orNull(.anyObject)),
    ])

    /// A request that may cause a mail: with the challenge of an app that accepts only codes from links (PKCE).
    private static func challenged(_ members: [Schema.Member]) -> Schema {
        let challenge: [Schema.Member] = [
            .may("code_challenge", .orNull(.text)), .may("code_challenge_method", .orNull(.text)),
        ]
        return .object(members + challenge)
    }

    private static let grant = Schema.object([
        .may("email", .orNull(.text)), .may("phone", .orNull(.text)), .may("password", .orNull(.text)),
        .may("refresh_token", .orNull(.text)), .may("nonce", .orNull(.text)), .may("id_token", .orNull(.text)),
        .may("provider", .orNull(.text)), .may("authorization_code", .orNull(.text)),
        .may("auth_code", .orNull(.text)), .may("code_verifier", .orNull(.text)),
    ])

    private static let verification = Schema.object([
        .must("type", .text), .may("email", .orNull(.text)), .may("token", .orNull(.text)),
        .may("token_hash", .orNull(.text)), .may("phone", .orNull(.text)),
    ])

    private static let recovery = challenged([.must("email", .text)])

    private static let resend = challenged([
        .must("type", .text), .may("email", .orNull(.text)), .may("phone", .orNull(.text)),
    ])

    private static let userChange = challenged([
        .may("email", .orNull(.text)), .may("phone", .orNull(.text)), .may("password", .orNull(.text)),
        .may("current_password", .orNull(.text)), .may("nonce", .orNull(.text)), .may("data", .orNull(.anyObject)),
    ])

    private static let administratorChange = Schema.object([
        .may("id", .orNull(.formatted("uuid"))), .may("email", .orNull(.text)), .may("phone", .orNull(.text)),
        .may("password", .orNull(.text)), .may("password_hash", .orNull(.text)),
        .may("email_confirm", .orNull(.flag)), .may("phone_confirm", .orNull(.flag)),
        .may("user_metadata", .orNull(.anyObject)), .may("app_metadata", .orNull(.anyObject)),
        .may("role", .orNull(.text)), .may("ban_duration", .orNull(.text)),
    ])

    private static let userDeletion = Schema.object([.may("should_soft_delete", .orNull(.flag))])

    private static let signOut = Schema.object([
        .must("ticket", .text), .may("scope", .orNull(.oneOfTexts(["local", "global", "others"]))),
    ])

    // MARK: Answers

    private static let time = Schema.formatted("date-time")

    private static let user = Schema.object([
        .must("id", .formatted("uuid")), .must("aud", .text), .must("role", .text), .must("email", .text),
        .may("email_confirmed_at", time), .must("phone", .text), .may("phone_confirmed_at", time),
        .may("confirmed_at", time), .may("last_sign_in_at", time), .may("new_email", .text),
        .must("app_metadata", .anyObject), .must("user_metadata", .anyObject),
        .must("identities", .list(.named("Identity"))), .must("created_at", time), .must("updated_at", time),
        .may("banned_until", time), .may("deleted_at", time), .must("is_anonymous", .flag),
    ])

    private static let identity = Schema.object([
        .must("identity_id", .formatted("uuid")), .must("id", .text), .must("user_id", .formatted("uuid")),
        .must("identity_data", .anyObject), .must("provider", .text), .must("created_at", time),
        .must("updated_at", time), .may("last_sign_in_at", time), .may("email", .text),
    ])

    private static let token = Schema.object([
        .must("access_token", .text), .must("token_type", .oneOfTexts(["bearer"])), .must("expires_in", .integer(nil)),
        .must("expires_at", .integer(nil)), .must("refresh_token", .text), .must("user", .named("User")),
        .must("sign_out_ticket", .text), .may("weak_password", .orNull(.anyObject)),
    ])

    private static let userList = Schema.object([.must("users", .list(.named("User"))), .must("aud", .text)])

    private static let settings = Schema.object([
        .must("external", .anyObject), .must("disable_signup", .flag), .must("mailer_autoconfirm", .flag),
        .must("phone_autoconfirm", .flag), .must("sms_provider", .text), .must("saml_enabled", .flag),
    ])

    private static let health = Schema.object([
        .must("version", .text), .must("name", .text), .must("description", .text),
    ])

    private static let keySet = Schema.object([.must("keys", .list(.anyObject))])

    private static let session = Schema.object([
        .must("id", .formatted("uuid")), .may("device", .text), .may("platform", .text), .may("app_version", .text),
        .may("user_agent", .text), .may("address", .text), .must("created_at", time), .must("last_seen_at", time),
        .must("refreshed_at", time), .may("not_after", time), .must("is_current", .flag),
    ])

    private static let sessionList = Schema.object([.must("sessions", .list(.named("Session")))])

    /// A server-sent event; its data is JSON: cursor, issuer, session_id, subject, revoked_at, reason.
    private static let event = Schema.object([.may("id", .text), .must("data", .text), .may("event", .text)])

    private static let condition = Schema.object([
        .must("status", .text), .may("erasures", .oneOfTexts(["waiting"])), .may("cause", .text),
        .may("places", .list(.text)), .may("clock", .oneOfTexts(["untrusted"])), .may("clock_cause", .text),
    ])

    /// One of the contract's three shapes: which one, the caller says by `X-Supabase-Api-Version`.
    private static let refusal = Schema.anyOf([
        .object([.must("code", .text), .must("message", .text), .may("hint", .text), .may("weak_password", .anyObject)]
        ),
        .object([
            .must("code", .integer(nil)), .must("error_code", .text), .must("msg", .text), .may("error_id", .text),
            .may("hint", .text), .may("weak_password", .anyObject),
        ]),
        .object([.must("error", .text), .must("error_description", .text)]),
    ])
}
