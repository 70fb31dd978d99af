// SPDX-License-Identifier: Apache-2.0

extension AuthorityTableName {
    /// The columns of each table, as this version of the authority makes them. A column that is not here is another
    /// program's, or a later version's.
    package static let columns: [String: Set<String>] = [
        "users": [
            "instance_id", "id", "aud", "role", "email", "encrypted_password", "email_confirmed_at", "invited_at",
            "confirmation_token", "confirmation_sent_at", "recovery_token", "recovery_sent_at",
            "email_change_token_new", "email_change", "email_change_sent_at", "last_sign_in_at", "raw_app_meta_data",
            "raw_user_meta_data", "is_super_admin", "created_at", "updated_at", "phone", "phone_confirmed_at",
            "phone_change", "phone_change_token", "phone_change_sent_at", "confirmed_at", "email_change_token_current",
            "email_change_confirm_status", "banned_until", "reauthentication_token", "reauthentication_sent_at",
            "reauthentication_attempts", "is_sso_user", "deleted_at", "is_anonymous", "signed_up_at",
        ],
        "identities": [
            "id", "provider_id", "provider", "user_id", "identity_data", "last_sign_in_at", "created_at", "updated_at",
            "email", "issuer",
        ],
        "sessions": [
            "id", "user_id", "created_at", "updated_at", "refreshed_at", "last_seen_at", "not_after", "aal", "amr",
            "device_name", "platform", "app_version", "user_agent", "ip", "refresh_token_hash",
            "refresh_token_counter", "refresh_nonce_hash",
        ],
        "provider_credentials": ["user_id", "provider", "sealed_refresh_token", "client", "updated_at"],
        "revocations": ["id", "feed_cursor", "session_id", "subject", "reason", "revoked_at"],
        "outgoing_mail": ["id", "user_id", "sealed", "wanted_at", "next_at", "attempts", "domain_hash"],
        "one_time_codes": [
            "token_hash", "user_id", "purpose", "code_hash", "network_hash", "device_hash", "sent_at", "attempts",
            "foreign_attempts", "challenge_hash",
        ],
        "authorization_codes": ["code_hash", "user_id", "purpose", "challenge_hash", "issued_at"],
        "known_sources": ["user_id", "source_hash", "used_at"],
        "console_sessions": [
            "id", "token_hash", "who", "role", "origin", "person_session", "began_at", "ends_at",
        ],
        "declined_sign_ups": ["user_id", "password_hash", "tried_at"],
        "migrations": ["version", "applied_at"],
        "signing_keys": ["id", "algorithm", "sealed_private_key", "active_from", "created_at"],
        "signing_key_version": ["only_row", "version", "late_removals"],
        "password_attempts": ["account_hash", "began_at", "attempts"],
    ]
}
