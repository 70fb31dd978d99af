-- SPDX-License-Identifier: Apache-2.0
--
-- The coaching app on SQLite: the tables of schema.postgresql.sql without schemas, auth.users called auth_users.
-- Deleting a row of auth_users takes everything else of that person along: every key cascades.

CREATE TABLE auth_users (
    id                 TEXT NOT NULL PRIMARY KEY, -- a uuid in lower-case text
    aud                TEXT NOT NULL DEFAULT 'authenticated',
    role               TEXT NOT NULL DEFAULT 'authenticated',
    email              VARCHAR(255) UNIQUE,
    phone              TEXT UNIQUE,
    encrypted_password VARCHAR(255),
    email_confirmed_at DATETIME,
    last_sign_in_at    DATETIME,
    raw_app_meta_data  JSON,
    raw_user_meta_data JSON,
    is_anonymous       BOOLEAN NOT NULL DEFAULT 0,
    created_at         DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at         DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- The app's own view of the person; same key as auth_users.
CREATE TABLE users (
    id                  TEXT NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
    email               TEXT NOT NULL,
    display_name        TEXT NOT NULL,
    time_zone           TEXT NOT NULL DEFAULT 'Europe/London',
    subscription_status TEXT NOT NULL DEFAULT 'free'
        CHECK (subscription_status IN ('free', 'trial', 'active', 'lapsed')),
    onboarded_at        DATETIME,
    created_at          DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE conversations (
    id              TEXT NOT NULL PRIMARY KEY,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title           TEXT,
    is_archived     BOOLEAN NOT NULL DEFAULT 0,
    created_at      DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_message_at DATETIME
);

CREATE TABLE messages (
    id              TEXT NOT NULL PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content         TEXT NOT NULL,
    token_count     INTEGER,
    created_at      DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- What the coach knows about the person: one row each.
CREATE TABLE context_profiles (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    summary    TEXT,
    goals      JSON NOT NULL DEFAULT '{}',
    updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- What an answer of the coach cost; the message may be gone already.
CREATE TABLE usage_logs (
    id            INTEGER PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
    message_id    TEXT REFERENCES messages (id) ON DELETE CASCADE,
    model         TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd      NUMERIC(10, 6) NOT NULL,
    created_at    DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- Patterns seen across several conversations of one person.
CREATE TABLE pattern_syntheses (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    pattern    TEXT NOT NULL,
    evidence   JSON NOT NULL DEFAULT '[]',
    confidence REAL NOT NULL,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- An index on every foreign key that has none yet: without it each delete reads the whole table.
CREATE INDEX conversations_user_id_idx ON conversations (user_id);
CREATE INDEX messages_conversation_id_idx ON messages (conversation_id, created_at);
CREATE INDEX messages_user_id_idx ON messages (user_id);
CREATE INDEX usage_logs_user_id_idx ON usage_logs (user_id, created_at);
CREATE INDEX usage_logs_message_id_idx ON usage_logs (message_id);
CREATE INDEX pattern_syntheses_user_id_idx ON pattern_syntheses (user_id);
