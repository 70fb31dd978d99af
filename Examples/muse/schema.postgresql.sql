-- SPDX-License-Identifier: Apache-2.0
--
-- An app where people meet, on PostgreSQL: eleven tables and auth.users, and not one key cascades.
-- A person can only be deleted in order, and many rows belong to two people at once.
--
-- Tables first, then keys and indexes, as pg_dump writes them: rows loaded in between load fast.

CREATE SCHEMA IF NOT EXISTS auth;

CREATE TABLE auth.users (
    id                 uuid NOT NULL,
    email              varchar(255),
    phone              text,
    encrypted_password varchar(255),
    raw_user_meta_data jsonb,
    last_sign_in_at    timestamptz,
    created_at         timestamptz NOT NULL DEFAULT now()
);

-- photo_paths names files below the photo folder: ["<user id>/1.jpg", …].
CREATE TABLE public.profiles (
    id           uuid NOT NULL,
    display_name text NOT NULL,
    bio          text,
    birth_date   date,
    city         text,
    avatar_path  text,
    photo_paths  jsonb NOT NULL DEFAULT '[]',
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE public.user_preferences (
    user_id       uuid NOT NULL,
    min_age       integer NOT NULL DEFAULT 18,
    max_age       integer NOT NULL DEFAULT 99,
    distance_km   integer NOT NULL DEFAULT 50,
    notifications jsonb NOT NULL DEFAULT '{}'
);

CREATE TABLE public.user_languages (
    user_id  uuid NOT NULL,
    language text NOT NULL,
    level    text NOT NULL
);

CREATE TABLE public.swipes (
    id         uuid NOT NULL,
    swiper_id  uuid NOT NULL,
    swiped_id  uuid NOT NULL,
    direction  text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE public.matches (
    id         uuid NOT NULL,
    user1_id   uuid NOT NULL,
    user2_id   uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE public.conversations (
    id              uuid NOT NULL,
    match_id        uuid NOT NULL,
    user1_id        uuid NOT NULL,
    user2_id        uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    last_message_at timestamptz
);

CREATE TABLE public.messages (
    id              uuid NOT NULL,
    conversation_id uuid NOT NULL,
    sender_id       uuid NOT NULL,
    receiver_id     uuid NOT NULL,
    body            text NOT NULL,
    read_at         timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now()
);

-- What a person asked the built-in muse for, and what it suggested.
CREATE TABLE public.muse_interactions (
    id         uuid NOT NULL,
    user_id    uuid NOT NULL,
    prompt     text NOT NULL,
    suggestion text,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE public.feedback (
    id         uuid NOT NULL,
    user_id    uuid NOT NULL,
    rating     integer,
    comment    text,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE public.invites (
    id            uuid NOT NULL,
    inviter_id    uuid NOT NULL,
    invitee_email text NOT NULL,
    code          text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE public.reported_users (
    id          uuid NOT NULL,
    reporter_id uuid NOT NULL,
    reported_id uuid NOT NULL,
    reason      text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE auth.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE auth.users ADD CONSTRAINT users_email_key UNIQUE (email);
ALTER TABLE public.profiles ADD CONSTRAINT profiles_pkey PRIMARY KEY (id);
ALTER TABLE public.user_preferences ADD CONSTRAINT user_preferences_pkey PRIMARY KEY (user_id);
ALTER TABLE public.user_languages ADD CONSTRAINT user_languages_pkey PRIMARY KEY (user_id, language);
ALTER TABLE public.swipes ADD CONSTRAINT swipes_pkey PRIMARY KEY (id);
ALTER TABLE public.swipes ADD CONSTRAINT swipes_swiper_id_swiped_id_key UNIQUE (swiper_id, swiped_id);
ALTER TABLE public.matches ADD CONSTRAINT matches_pkey PRIMARY KEY (id);
ALTER TABLE public.conversations ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);
ALTER TABLE public.messages ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
ALTER TABLE public.muse_interactions ADD CONSTRAINT muse_interactions_pkey PRIMARY KEY (id);
ALTER TABLE public.feedback ADD CONSTRAINT feedback_pkey PRIMARY KEY (id);
ALTER TABLE public.invites ADD CONSTRAINT invites_pkey PRIMARY KEY (id);
ALTER TABLE public.reported_users ADD CONSTRAINT reported_users_pkey PRIMARY KEY (id);

ALTER TABLE public.profiles ADD CONSTRAINT profiles_id_fkey
    FOREIGN KEY (id) REFERENCES auth.users (id);
ALTER TABLE public.user_preferences ADD CONSTRAINT user_preferences_user_id_fkey
    FOREIGN KEY (user_id) REFERENCES public.profiles (id);
ALTER TABLE public.user_languages ADD CONSTRAINT user_languages_user_id_fkey
    FOREIGN KEY (user_id) REFERENCES public.profiles (id);
ALTER TABLE public.swipes ADD CONSTRAINT swipes_swiper_id_fkey
    FOREIGN KEY (swiper_id) REFERENCES public.profiles (id);
ALTER TABLE public.swipes ADD CONSTRAINT swipes_swiped_id_fkey
    FOREIGN KEY (swiped_id) REFERENCES public.profiles (id);
ALTER TABLE public.matches ADD CONSTRAINT matches_user1_id_fkey
    FOREIGN KEY (user1_id) REFERENCES public.profiles (id);
ALTER TABLE public.matches ADD CONSTRAINT matches_user2_id_fkey
    FOREIGN KEY (user2_id) REFERENCES public.profiles (id);
ALTER TABLE public.conversations ADD CONSTRAINT conversations_match_id_fkey
    FOREIGN KEY (match_id) REFERENCES public.matches (id);
ALTER TABLE public.conversations ADD CONSTRAINT conversations_user1_id_fkey
    FOREIGN KEY (user1_id) REFERENCES public.profiles (id);
ALTER TABLE public.conversations ADD CONSTRAINT conversations_user2_id_fkey
    FOREIGN KEY (user2_id) REFERENCES public.profiles (id);
ALTER TABLE public.messages ADD CONSTRAINT messages_conversation_id_fkey
    FOREIGN KEY (conversation_id) REFERENCES public.conversations (id);
ALTER TABLE public.messages ADD CONSTRAINT messages_sender_id_fkey
    FOREIGN KEY (sender_id) REFERENCES public.profiles (id);
ALTER TABLE public.messages ADD CONSTRAINT messages_receiver_id_fkey
    FOREIGN KEY (receiver_id) REFERENCES public.profiles (id);
ALTER TABLE public.muse_interactions ADD CONSTRAINT muse_interactions_user_id_fkey
    FOREIGN KEY (user_id) REFERENCES public.profiles (id);
ALTER TABLE public.feedback ADD CONSTRAINT feedback_user_id_fkey
    FOREIGN KEY (user_id) REFERENCES public.profiles (id);
ALTER TABLE public.invites ADD CONSTRAINT invites_inviter_id_fkey
    FOREIGN KEY (inviter_id) REFERENCES public.profiles (id);
ALTER TABLE public.reported_users ADD CONSTRAINT reported_users_reporter_id_fkey
    FOREIGN KEY (reporter_id) REFERENCES public.profiles (id);
ALTER TABLE public.reported_users ADD CONSTRAINT reported_users_reported_id_fkey
    FOREIGN KEY (reported_id) REFERENCES public.profiles (id);

-- An index on every foreign key that has none yet: without it each delete reads the whole table.
CREATE INDEX swipes_swiped_id_idx ON public.swipes (swiped_id);
CREATE INDEX matches_user1_id_idx ON public.matches (user1_id);
CREATE INDEX matches_user2_id_idx ON public.matches (user2_id);
CREATE INDEX conversations_match_id_idx ON public.conversations (match_id);
CREATE INDEX conversations_user1_id_idx ON public.conversations (user1_id);
CREATE INDEX conversations_user2_id_idx ON public.conversations (user2_id);
CREATE INDEX messages_conversation_id_idx ON public.messages (conversation_id, created_at);
CREATE INDEX messages_sender_id_idx ON public.messages (sender_id);
CREATE INDEX messages_receiver_id_idx ON public.messages (receiver_id);
CREATE INDEX muse_interactions_user_id_idx ON public.muse_interactions (user_id);
CREATE INDEX feedback_user_id_idx ON public.feedback (user_id);
CREATE INDEX invites_inviter_id_idx ON public.invites (inviter_id);
CREATE INDEX reported_users_reporter_id_idx ON public.reported_users (reporter_id);
CREATE INDEX reported_users_reported_id_idx ON public.reported_users (reported_id);
