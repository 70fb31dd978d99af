--
-- PostgreSQL database dump
--

\restrict rCXXeU3bFeZHQSwSad11eZhLAaMw1unhVQEFXQFQZ9c5TbzY8EjlU0BjdpZQPU2

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: auth; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA auth;


--
-- Name: publish_deletion(); Type: FUNCTION; Schema: auth; Owner: -
--

CREATE FUNCTION auth.publish_deletion() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$BEGIN INSERT INTO auth.revocations (session_id, subject, reason, revoked_at) SELECT NULL, OLD.id, 'user-deleted', now() WHERE NOT EXISTS (SELECT 1 FROM auth.revocations WHERE subject = OLD.id AND session_id IS NULL AND reason = 'user-deleted'); RETURN NULL; END$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: console_sessions; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.console_sessions (
    id uuid NOT NULL,
    token_hash bytea NOT NULL,
    who text NOT NULL,
    role text NOT NULL,
    origin bytea NOT NULL,
    person_session uuid,
    began_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    CONSTRAINT console_sessions_origin_check CHECK ((length(origin) = 32)),
    CONSTRAINT console_sessions_token_hash_check CHECK ((length(token_hash) = 32))
);


--
-- Name: identities; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.identities (
    id uuid NOT NULL,
    provider_id text NOT NULL,
    provider text NOT NULL,
    user_id uuid NOT NULL,
    identity_data jsonb NOT NULL,
    last_sign_in_at timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    email text GENERATED ALWAYS AS (lower((identity_data ->> 'email'::text))) STORED,
    issuer text GENERATED ALWAYS AS (COALESCE((identity_data ->> 'iss'::text), ''::text)) STORED
);


--
-- Name: known_sources; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.known_sources (
    user_id uuid NOT NULL,
    source_hash bytea NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT known_sources_source_hash_check CHECK ((length(source_hash) = 32))
);


--
-- Name: migrations; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.migrations (
    version integer NOT NULL,
    applied_at timestamp with time zone NOT NULL
);


--
-- Name: one_time_codes; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.one_time_codes (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    purpose text NOT NULL,
    code_hash bytea,
    network_hash bytea NOT NULL,
    device_hash bytea,
    sent_at timestamp with time zone NOT NULL,
    attempts integer NOT NULL,
    foreign_attempts integer NOT NULL,
    CONSTRAINT one_time_codes_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT one_time_codes_code_hash_check CHECK (((code_hash IS NULL) OR (length(code_hash) = 32))),
    CONSTRAINT one_time_codes_device_hash_check CHECK (((device_hash IS NULL) OR (length(device_hash) = 32))),
    CONSTRAINT one_time_codes_foreign_attempts_check CHECK ((foreign_attempts >= 0)),
    CONSTRAINT one_time_codes_network_hash_check CHECK ((length(network_hash) = 32)),
    CONSTRAINT one_time_codes_purpose_check CHECK ((purpose = ANY (ARRAY['signup'::text, 'recovery'::text, 'email_change'::text, 'reauthentication'::text]))),
    CONSTRAINT one_time_codes_token_hash_check CHECK ((length(token_hash) = 32))
);


--
-- Name: outgoing_mail; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.outgoing_mail (
    id uuid NOT NULL,
    user_id uuid,
    sealed bytea NOT NULL,
    wanted_at timestamp with time zone NOT NULL,
    next_at timestamp with time zone NOT NULL,
    attempts integer NOT NULL,
    CONSTRAINT outgoing_mail_attempts_check CHECK ((attempts >= 0))
);


--
-- Name: password_attempts; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.password_attempts (
    account_hash bytea NOT NULL,
    began_at timestamp with time zone NOT NULL,
    attempts bigint NOT NULL,
    CONSTRAINT password_attempts_attempts_check CHECK ((attempts >= 0))
);


--
-- Name: provider_credentials; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.provider_credentials (
    user_id uuid NOT NULL,
    provider text NOT NULL,
    sealed_refresh_token bytea NOT NULL,
    client text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: revocations; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.revocations (
    id bigint NOT NULL,
    feed_cursor bigint,
    session_id uuid,
    subject uuid NOT NULL,
    reason text NOT NULL,
    revoked_at timestamp with time zone NOT NULL,
    CONSTRAINT revocations_reason_check CHECK ((reason = ANY (ARRAY['signed-out'::text, 'signed-out-elsewhere'::text, 'ended-from-list'::text, 'password-changed'::text, 'token-reused'::text, 'user-banned'::text, 'user-deleted'::text, 'by-administrator'::text])))
);


--
-- Name: revocations_cursor; Type: SEQUENCE; Schema: auth; Owner: -
--

CREATE SEQUENCE auth.revocations_cursor
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: revocations_id_seq; Type: SEQUENCE; Schema: auth; Owner: -
--

ALTER TABLE auth.revocations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME auth.revocations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: sessions; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    refreshed_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    not_after timestamp with time zone,
    aal text DEFAULT 'aal1'::text NOT NULL,
    amr jsonb NOT NULL,
    device_name text,
    platform text,
    app_version text,
    user_agent text,
    ip text,
    refresh_token_hash bytea NOT NULL,
    refresh_token_counter bigint DEFAULT 0 NOT NULL,
    refresh_nonce_hash bytea,
    CONSTRAINT sessions_aal_check CHECK ((aal = ANY (ARRAY['aal1'::text, 'aal2'::text, 'aal3'::text]))),
    CONSTRAINT sessions_refresh_nonce_hash_check CHECK (((refresh_nonce_hash IS NULL) OR (length(refresh_nonce_hash) = 32))),
    CONSTRAINT sessions_refresh_token_counter_check CHECK ((refresh_token_counter >= 0)),
    CONSTRAINT sessions_refresh_token_hash_check CHECK ((length(refresh_token_hash) = 32))
)
WITH (fillfactor='70');


--
-- Name: signing_key_version; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.signing_key_version (
    only_row integer NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT signing_key_version_only_row_check CHECK ((only_row = 1))
);


--
-- Name: signing_keys; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.signing_keys (
    id text NOT NULL,
    algorithm text NOT NULL,
    sealed_private_key bytea NOT NULL,
    active_from timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT signing_keys_algorithm_check CHECK ((algorithm = ANY (ARRAY['ES256'::text, 'EdDSA'::text])))
);


--
-- Name: users; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.users (
    instance_id uuid,
    id uuid NOT NULL,
    aud character varying(255) DEFAULT 'authenticated'::character varying,
    role character varying(255) DEFAULT 'authenticated'::character varying,
    email character varying(255),
    encrypted_password character varying(255),
    email_confirmed_at timestamp with time zone,
    invited_at timestamp with time zone,
    confirmation_token character varying(255),
    confirmation_sent_at timestamp with time zone,
    recovery_token character varying(255),
    recovery_sent_at timestamp with time zone,
    email_change_token_new character varying(255),
    email_change character varying(255),
    email_change_sent_at timestamp with time zone,
    last_sign_in_at timestamp with time zone,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    is_super_admin boolean,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now(),
    phone text,
    phone_confirmed_at timestamp with time zone,
    phone_change text DEFAULT ''::text,
    phone_change_token character varying(255) DEFAULT ''::character varying,
    phone_change_sent_at timestamp with time zone,
    confirmed_at timestamp with time zone GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED,
    email_change_token_current character varying(255) DEFAULT ''::character varying,
    email_change_confirm_status smallint DEFAULT 0,
    banned_until timestamp with time zone,
    reauthentication_token character varying(255) DEFAULT ''::character varying,
    reauthentication_sent_at timestamp with time zone,
    reauthentication_attempts smallint DEFAULT 0 NOT NULL,
    is_sso_user boolean DEFAULT false NOT NULL,
    deleted_at timestamp with time zone,
    is_anonymous boolean DEFAULT false NOT NULL,
    signed_up_at timestamp with time zone
);


--
-- Data for Name: console_sessions; Type: TABLE DATA; Schema: auth; Owner: -
--



--
-- Data for Name: identities; Type: TABLE DATA; Schema: auth; Owner: -
--

INSERT INTO auth.identities VALUES ('243e0c10-58bd-408a-ac11-f84ae85e90b0', '64a5bbb2-9496-402c-af49-c7d681b3cdb4', 'email', '64a5bbb2-9496-402c-af49-c7d681b3cdb4', '{"sub": "64a5bbb2-9496-402c-af49-c7d681b3cdb4", "email": "rita@example.org", "email_verified": true, "phone_verified": false}', NULL, '2026-11-26 11:57:45.067475+00', '2026-11-26 11:57:45.067475+00', DEFAULT, DEFAULT);


--
-- Data for Name: known_sources; Type: TABLE DATA; Schema: auth; Owner: -
--

INSERT INTO auth.known_sources VALUES ('64a5bbb2-9496-402c-af49-c7d681b3cdb4', '\xef08a0adf6a5f064343a2e7c63ad351cbcb6863f7cc5861ca6d86dafc61079e2', '2026-11-26 11:57:45.078942+00');


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: auth; Owner: -
--

INSERT INTO auth.migrations VALUES (1, '2026-11-26 11:57:43.894569+00');
INSERT INTO auth.migrations VALUES (2, '2026-11-26 11:57:43.894569+00');
INSERT INTO auth.migrations VALUES (3, '2026-11-26 11:57:43.894569+00');
INSERT INTO auth.migrations VALUES (4, '2026-11-26 11:57:43.894569+00');
INSERT INTO auth.migrations VALUES (5, '2026-11-26 11:57:43.894569+00');
INSERT INTO auth.migrations VALUES (6, '2026-11-26 11:57:43.894569+00');


--
-- Data for Name: one_time_codes; Type: TABLE DATA; Schema: auth; Owner: -
--



--
-- Data for Name: outgoing_mail; Type: TABLE DATA; Schema: auth; Owner: -
--



--
-- Data for Name: password_attempts; Type: TABLE DATA; Schema: auth; Owner: -
--



--
-- Data for Name: provider_credentials; Type: TABLE DATA; Schema: auth; Owner: -
--



--
-- Data for Name: revocations; Type: TABLE DATA; Schema: auth; Owner: -
--



--
-- Data for Name: sessions; Type: TABLE DATA; Schema: auth; Owner: -
--

INSERT INTO auth.sessions VALUES ('f113cd42-4d62-41e5-b027-6e538946a794', '64a5bbb2-9496-402c-af49-c7d681b3cdb4', '2026-11-26 11:57:45.078942+00', '2026-11-26 11:57:45.078942+00', '2026-11-26 11:57:45.078942+00', '2026-11-26 11:57:45.078942+00', '2027-11-26 11:57:45.078942+00', 'aal1', '[{"method": "password", "timestamp": 1795694265}]', NULL, NULL, NULL, 'curl/7.88.1', '127.0.0.1', '\xf9c6973044bfcfa808b16615220cee82ecde388a7ebad2a7bc6ba3bf84e90f08', 0, NULL);


--
-- Data for Name: signing_key_version; Type: TABLE DATA; Schema: auth; Owner: -
--

INSERT INTO auth.signing_key_version VALUES (1, 1);


--
-- Data for Name: signing_keys; Type: TABLE DATA; Schema: auth; Owner: -
--

INSERT INTO auth.signing_keys VALUES ('ylqXZ5flugsZkJ2fj9W5cmYPTv9MW3mGNJxeHwvOzPc', 'ES256', '\x3ad394de2522cf55d1c06cdb88c880789da15fed61027b45135b6a6d8fceb694efd99d483e7ffebb8e322c64e5c12714433ec48d07324d77cfa90c27', '2026-11-26 11:57:44.098462+00', '2026-11-26 11:57:44.098462+00');


--
-- Data for Name: users; Type: TABLE DATA; Schema: auth; Owner: -
--

INSERT INTO auth.users VALUES (NULL, '64a5bbb2-9496-402c-af49-c7d681b3cdb4', 'authenticated', 'authenticated', 'rita@example.org', '$scrypt$ln=15,r=8,p=3$77y/CDK30b85ZYG1XpWWZg$I/nzQRlGgNeAY8NmbyGrVtyuYczG5+iLL1yha6X+100', '2026-11-26 11:57:45.067475+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-26 11:57:45.078942+00', '{"provider": "email", "providers": ["email"]}', '{}', NULL, '2026-11-26 11:57:45.067475+00', '2026-11-26 11:57:45.078942+00', NULL, NULL, '', '', NULL, DEFAULT, '', 0, NULL, '', NULL, 0, false, NULL, false, NULL);


--
-- Name: revocations_cursor; Type: SEQUENCE SET; Schema: auth; Owner: -
--

SELECT pg_catalog.setval('auth.revocations_cursor', 1, false);


--
-- Name: revocations_id_seq; Type: SEQUENCE SET; Schema: auth; Owner: -
--

SELECT pg_catalog.setval('auth.revocations_id_seq', 1, false);


--
-- Name: console_sessions console_sessions_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (id);


--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);


--
-- Name: known_sources known_sources_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.known_sources
    ADD CONSTRAINT known_sources_pkey PRIMARY KEY (user_id, source_hash);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);


--
-- Name: one_time_codes one_time_codes_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.one_time_codes
    ADD CONSTRAINT one_time_codes_pkey PRIMARY KEY (token_hash);


--
-- Name: outgoing_mail outgoing_mail_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.outgoing_mail
    ADD CONSTRAINT outgoing_mail_pkey PRIMARY KEY (id);


--
-- Name: password_attempts password_attempts_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.password_attempts
    ADD CONSTRAINT password_attempts_pkey PRIMARY KEY (account_hash);


--
-- Name: provider_credentials provider_credentials_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.provider_credentials
    ADD CONSTRAINT provider_credentials_pkey PRIMARY KEY (user_id, provider);


--
-- Name: revocations revocations_feed_cursor_key; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.revocations
    ADD CONSTRAINT revocations_feed_cursor_key UNIQUE (feed_cursor);


--
-- Name: revocations revocations_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);


--
-- Name: signing_key_version signing_key_version_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.signing_key_version
    ADD CONSTRAINT signing_key_version_pkey PRIMARY KEY (only_row);


--
-- Name: signing_keys signing_keys_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: console_sessions_ends_at_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX console_sessions_ends_at_idx ON auth.console_sessions USING btree (ends_at);


--
-- Name: console_sessions_person_session_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX console_sessions_person_session_idx ON auth.console_sessions USING btree (person_session);


--
-- Name: console_sessions_token_key; Type: INDEX; Schema: auth; Owner: -
--

CREATE UNIQUE INDEX console_sessions_token_key ON auth.console_sessions USING btree (token_hash);


--
-- Name: identities_subject_key; Type: INDEX; Schema: auth; Owner: -
--

CREATE UNIQUE INDEX identities_subject_key ON auth.identities USING btree (provider_id, provider, issuer);


--
-- Name: identities_user_id_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX identities_user_id_idx ON auth.identities USING btree (user_id);


--
-- Name: known_sources_used_at_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX known_sources_used_at_idx ON auth.known_sources USING btree (used_at);


--
-- Name: one_time_codes_sent_at_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX one_time_codes_sent_at_idx ON auth.one_time_codes USING btree (sent_at);


--
-- Name: one_time_codes_user_id_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX one_time_codes_user_id_idx ON auth.one_time_codes USING btree (user_id, purpose);


--
-- Name: outgoing_mail_next_at_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX outgoing_mail_next_at_idx ON auth.outgoing_mail USING btree (next_at);


--
-- Name: outgoing_mail_user_id_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX outgoing_mail_user_id_idx ON auth.outgoing_mail USING btree (user_id);


--
-- Name: revocations_revoked_at_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX revocations_revoked_at_idx ON auth.revocations USING btree (revoked_at);


--
-- Name: revocations_session_id_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX revocations_session_id_idx ON auth.revocations USING btree (session_id);


--
-- Name: revocations_subject_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX revocations_subject_idx ON auth.revocations USING btree (subject);


--
-- Name: revocations_unread_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX revocations_unread_idx ON auth.revocations USING btree (id) WHERE (feed_cursor IS NULL);


--
-- Name: sessions_not_after_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX sessions_not_after_idx ON auth.sessions USING btree (not_after);


--
-- Name: sessions_user_id_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX sessions_user_id_idx ON auth.sessions USING btree (user_id, created_at);


--
-- Name: users_created_at_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX users_created_at_idx ON auth.users USING btree (created_at, id);


--
-- Name: users_email_change_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX users_email_change_idx ON auth.users USING btree (email_change);


--
-- Name: users_email_partial_key; Type: INDEX; Schema: auth; Owner: -
--

CREATE UNIQUE INDEX users_email_partial_key ON auth.users USING btree (email) WHERE (is_sso_user = false);


--
-- Name: users_imported_cost_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX users_imported_cost_idx ON auth.users USING btree (substr((encrypted_password)::text, 5, 2)) WHERE ((encrypted_password)::text ~~ '$2%'::text);


--
-- Name: users_phone_key; Type: INDEX; Schema: auth; Owner: -
--

CREATE UNIQUE INDEX users_phone_key ON auth.users USING btree (phone);


--
-- Name: users_signed_up_at_idx; Type: INDEX; Schema: auth; Owner: -
--

CREATE INDEX users_signed_up_at_idx ON auth.users USING btree (signed_up_at) WHERE (signed_up_at IS NOT NULL);


--
-- Name: users users_publish_deletion; Type: TRIGGER; Schema: auth; Owner: -
--

CREATE TRIGGER users_publish_deletion AFTER DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION auth.publish_deletion();


--
-- Name: console_sessions console_sessions_person_session_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.console_sessions
    ADD CONSTRAINT console_sessions_person_session_fkey FOREIGN KEY (person_session) REFERENCES auth.sessions(id) ON DELETE CASCADE;


--
-- Name: identities identities_user_id_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;


--
-- Name: known_sources known_sources_user_id_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.known_sources
    ADD CONSTRAINT known_sources_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;


--
-- Name: one_time_codes one_time_codes_user_id_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.one_time_codes
    ADD CONSTRAINT one_time_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;


--
-- Name: outgoing_mail outgoing_mail_user_id_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.outgoing_mail
    ADD CONSTRAINT outgoing_mail_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;


--
-- Name: provider_credentials provider_credentials_user_id_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.provider_credentials
    ADD CONSTRAINT provider_credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;


--
-- Name: sessions sessions_user_id_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict rCXXeU3bFeZHQSwSad11eZhLAaMw1unhVQEFXQFQZ9c5TbzY8EjlU0BjdpZQPU2

