-- SPDX-License-Identifier: Apache-2.0
--
-- The app where people meet, on SQLite: the tables of schema.postgresql.sql without schemas,
-- auth.users called auth_users. Not one key cascades, and many rows belong to two people at once.

CREATE TABLE auth_users (
    id                 TEXT NOT NULL PRIMARY KEY, -- a uuid in lower-case text
    email              VARCHAR(255) UNIQUE,
    phone              TEXT,
    encrypted_password VARCHAR(255),
    raw_user_meta_data JSON,
    last_sign_in_at    DATETIME,
    created_at         DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- photo_paths names files below the photo folder: ["<user id>/1.jpg", …].
CREATE TABLE profiles (
    id           TEXT NOT NULL PRIMARY KEY REFERENCES auth_users (id),
    display_name TEXT NOT NULL,
    bio          TEXT,
    birth_date   DATE,
    city         TEXT,
    avatar_path  TEXT,
    photo_paths  JSON NOT NULL DEFAULT '[]',
    created_at   DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE user_preferences (
    user_id       TEXT NOT NULL PRIMARY KEY REFERENCES profiles (id),
    min_age       INTEGER NOT NULL DEFAULT 18,
    max_age       INTEGER NOT NULL DEFAULT 99,
    distance_km   INTEGER NOT NULL DEFAULT 50,
    notifications JSON NOT NULL DEFAULT '{}'
);

CREATE TABLE user_languages (
    user_id  TEXT NOT NULL REFERENCES profiles (id),
    language TEXT NOT NULL,
    level    TEXT NOT NULL,
    PRIMARY KEY (user_id, language)
) WITHOUT ROWID;

CREATE TABLE swipes (
    id         TEXT NOT NULL PRIMARY KEY,
    swiper_id  TEXT NOT NULL REFERENCES profiles (id),
    swiped_id  TEXT NOT NULL REFERENCES profiles (id),
    direction  TEXT NOT NULL,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE matches (
    id         TEXT NOT NULL PRIMARY KEY,
    user1_id   TEXT NOT NULL REFERENCES profiles (id),
    user2_id   TEXT NOT NULL REFERENCES profiles (id),
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE conversations (
    id              TEXT NOT NULL PRIMARY KEY,
    match_id        TEXT NOT NULL REFERENCES matches (id),
    user1_id        TEXT NOT NULL REFERENCES profiles (id),
    user2_id        TEXT NOT NULL REFERENCES profiles (id),
    created_at      DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_message_at DATETIME
);

CREATE TABLE messages (
    id              TEXT NOT NULL PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    sender_id       TEXT NOT NULL REFERENCES profiles (id),
    receiver_id     TEXT NOT NULL REFERENCES profiles (id),
    body            TEXT NOT NULL,
    read_at         DATETIME,
    created_at      DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- What a person asked the built-in muse for, and what it suggested.
CREATE TABLE muse_interactions (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES profiles (id),
    prompt     TEXT NOT NULL,
    suggestion TEXT,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE feedback (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES profiles (id),
    rating     INTEGER,
    comment    TEXT,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE invites (
    id            TEXT NOT NULL PRIMARY KEY,
    inviter_id    TEXT NOT NULL REFERENCES profiles (id),
    invitee_email TEXT NOT NULL,
    code          TEXT NOT NULL,
    created_at    DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE reported_users (
    id          TEXT NOT NULL PRIMARY KEY,
    reporter_id TEXT NOT NULL REFERENCES profiles (id),
    reported_id TEXT NOT NULL REFERENCES profiles (id),
    reason      TEXT NOT NULL,
    created_at  DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- An index on every foreign key that has none yet: without it each delete reads the whole table.
CREATE UNIQUE INDEX swipes_swiper_id_swiped_id_idx ON swipes (swiper_id, swiped_id);
CREATE INDEX swipes_swiped_id_idx ON swipes (swiped_id);
CREATE INDEX matches_user1_id_idx ON matches (user1_id);
CREATE INDEX matches_user2_id_idx ON matches (user2_id);
CREATE INDEX conversations_match_id_idx ON conversations (match_id);
CREATE INDEX conversations_user1_id_idx ON conversations (user1_id);
CREATE INDEX conversations_user2_id_idx ON conversations (user2_id);
CREATE INDEX messages_conversation_id_idx ON messages (conversation_id, created_at);
CREATE INDEX messages_sender_id_idx ON messages (sender_id);
CREATE INDEX messages_receiver_id_idx ON messages (receiver_id);
CREATE INDEX muse_interactions_user_id_idx ON muse_interactions (user_id);
CREATE INDEX feedback_user_id_idx ON feedback (user_id);
CREATE INDEX invites_inviter_id_idx ON invites (inviter_id);
CREATE INDEX reported_users_reporter_id_idx ON reported_users (reporter_id);
CREATE INDEX reported_users_reported_id_idx ON reported_users (reported_id);
