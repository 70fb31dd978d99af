--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

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
-- Name: farewell; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA farewell;


--
-- Name: schema_details(); Type: FUNCTION; Schema: farewell; Owner: -
--

CREATE FUNCTION farewell.schema_details() RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ WITH places AS MATERIALIZED (SELECT c.oid FROM pg_catalog.pg_class c WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'f', 'm') AND c.relpersistence <> 't' AND c.relnamespace <> ALL (ARRAY(SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname IN ('farewell', 'information_schema')))) SELECT (SELECT count(*)::text || '/' || coalesce(bit_xor(hashint8extended(x.xmin::text::bigint, x.attrelid::bigint * 2048 + x.attnum)), 0) FROM pg_catalog.pg_attribute x WHERE x.attrelid = ANY (ARRAY(SELECT p.oid FROM places p))) || ' ' || (SELECT count(*)::text || '/' || coalesce(bit_xor(hashint8extended(x.xmin::text::bigint, x.oid::bigint)), 0) FROM pg_catalog.pg_constraint x WHERE x.conrelid = ANY (ARRAY(SELECT p.oid FROM places p))) || ' ' || (SELECT count(*)::text || '/' || coalesce(bit_xor(hashint8extended(x.xmin::text::bigint, x.indexrelid::bigint)), 0) FROM pg_catalog.pg_index x WHERE x.indrelid = ANY (ARRAY(SELECT p.oid FROM places p))) || ' ' || (SELECT count(*)::text || '/' || coalesce(bit_xor(hashint8extended(x.xmin::text::bigint, x.oid::bigint)), 0) FROM pg_catalog.pg_trigger x WHERE x.tgrelid = ANY (ARRAY(SELECT p.oid FROM places p))) || ' ' || (SELECT count(*)::text || '/' || coalesce(bit_xor(hashint8extended(x.xmin::text::bigint, x.oid::bigint)), 0) FROM pg_catalog.pg_policy x WHERE x.polrelid = ANY (ARRAY(SELECT p.oid FROM places p))) $$;


--
-- Name: boats(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.boats() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'no boat goes'; END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: audit; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.audit (
    sequence bigint NOT NULL,
    hash text NOT NULL,
    entry text NOT NULL
);


--
-- Name: deliveries; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.deliveries (
    event bigint NOT NULL,
    endpoint text NOT NULL,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone,
    error text,
    CONSTRAINT deliveries_check CHECK (((state = 'waiting'::text) = (next_at IS NOT NULL))),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'dead'::text])))
);


--
-- Name: erasures; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.erasures (
    id uuid NOT NULL,
    state text NOT NULL,
    cause text,
    requested_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    attempts integer DEFAULT 1 NOT NULL,
    owner text,
    lease_until timestamp with time zone,
    epoch bigint DEFAULT 1 NOT NULL,
    subject_hash text NOT NULL,
    plan_fingerprint text NOT NULL,
    schema_fingerprint text NOT NULL,
    wrapped_key bytea,
    sealed bytea,
    receipt text,
    cause_code text,
    CONSTRAINT erasures_attempts_check CHECK (((attempts >= 0) AND (attempts <= 1000))),
    CONSTRAINT erasures_check CHECK (((state = ANY (ARRAY['done'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT erasures_check1 CHECK (((state <> ALL (ARRAY['done'::text, 'cancelled'::text])) OR ((sealed IS NULL) AND (wrapped_key IS NULL)))),
    CONSTRAINT erasures_check2 CHECK (((state = 'needs attention'::text) = (cause IS NOT NULL))),
    CONSTRAINT erasures_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'grace'::text, 'fenced'::text, 'running'::text, 'verifying'::text, 'done'::text, 'cancelled'::text, 'needs attention'::text]))),
    CONSTRAINT erasures_subject_hash_check CHECK (((length(subject_hash) >= 32) AND (length(subject_hash) <= 128)))
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY farewell.erasures ALTER COLUMN sealed SET STORAGE EXTERNAL;
ALTER TABLE ONLY farewell.erasures ALTER COLUMN receipt SET STORAGE EXTERNAL;


--
-- Name: events; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.events (
    id bigint NOT NULL,
    erasure uuid NOT NULL,
    kind text NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    addressed_at timestamp with time zone,
    occasion bigint DEFAULT 0 NOT NULL
);


--
-- Name: events_id_seq; Type: SEQUENCE; Schema: farewell; Owner: -
--

ALTER TABLE farewell.events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME farewell.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: fence_salt; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.fence_salt (
    only_row integer NOT NULL,
    salt text NOT NULL,
    CONSTRAINT fence_salt_only_row_check CHECK ((only_row = 1))
);


--
-- Name: fences; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.fences (
    mark text NOT NULL,
    erasure uuid NOT NULL,
    epoch bigint NOT NULL,
    closed_at timestamp with time zone NOT NULL
);


--
-- Name: holds; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.holds (
    erasure uuid NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT holds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
);


--
-- Name: installation; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.installation (
    id integer NOT NULL,
    keys text NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT installation_id_check CHECK ((id = 1))
);


--
-- Name: keepsakes; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.keepsakes (
    erasure uuid NOT NULL,
    wrapped_key bytea NOT NULL,
    sealed bytea NOT NULL,
    look_at timestamp with time zone,
    keep_until timestamp with time zone NOT NULL
);


--
-- Name: ledger; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.ledger (
    subject_hash text NOT NULL,
    receipt uuid NOT NULL,
    entry text NOT NULL,
    keys text
);


--
-- Name: migrations; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.migrations (
    version integer NOT NULL,
    applied_at timestamp with time zone NOT NULL
);


--
-- Name: news; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.news (
    erasure uuid NOT NULL,
    step text NOT NULL,
    told text NOT NULL,
    told_at timestamp with time zone NOT NULL,
    CONSTRAINT news_told_check CHECK ((length(told) <= 1000))
);


--
-- Name: received; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.received (
    issuer text NOT NULL,
    identifier text NOT NULL,
    received_at timestamp with time zone NOT NULL
);


--
-- Name: requests; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.requests (
    erasure uuid NOT NULL,
    ready_at timestamp with time zone,
    grace_until timestamp with time zone,
    due_at timestamp with time zone NOT NULL,
    warned_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    told text
);


--
-- Name: retentions; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.retentions (
    erasure uuid NOT NULL,
    piece integer NOT NULL,
    place text NOT NULL,
    kept integer NOT NULL,
    until text NOT NULL,
    next_at timestamp with time zone,
    trouble text,
    ended_at timestamp with time zone,
    ended integer,
    wrapped_key bytea,
    sealed bytea,
    CONSTRAINT retentions_check CHECK (((ended_at IS NULL) = (sealed IS NOT NULL))),
    CONSTRAINT retentions_check1 CHECK (((sealed IS NULL) = (wrapped_key IS NULL))),
    CONSTRAINT retentions_until_check CHECK ((length(until) = 10))
);


--
-- Name: revocation_readers; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.revocation_readers (
    name text NOT NULL,
    feed_cursor bigint NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone NOT NULL
);


--
-- Name: schemas; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.schemas (
    fingerprint text NOT NULL,
    snapshot text NOT NULL
);


--
-- Name: step_ups; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.step_ups (
    hash text NOT NULL,
    subject_hash text NOT NULL,
    action text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: steps; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.steps (
    erasure uuid NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    attempts integer DEFAULT 1 NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    counts text,
    progress text,
    CONSTRAINT steps_attempts_check CHECK (((attempts >= 0) AND (attempts <= 1000))),
    CONSTRAINT steps_check CHECK (((state = 'done'::text) = (finished_at IS NOT NULL))),
    CONSTRAINT steps_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text])))
);


--
-- Name: tickets; Type: TABLE; Schema: farewell; Owner: -
--

CREATE TABLE farewell.tickets (
    hash text NOT NULL,
    erasure uuid NOT NULL,
    key_hash text,
    body_hash text
);


--
-- Name: accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.accounts (
    id text NOT NULL,
    email text NOT NULL,
    name text NOT NULL
);


--
-- Name: invoices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invoices (
    id integer NOT NULL,
    account_id text,
    total integer NOT NULL,
    issued_on date NOT NULL
);


--
-- Name: notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notes (
    id integer NOT NULL,
    account_id text NOT NULL,
    body text NOT NULL
);


--
-- Data for Name: audit; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.audit VALUES (1, 'dc3d65c253715f1b614a9a1d7458900fbc715e6fa34babf659efa99d162a244e', '{"act":"erasure.accepted","actor":"engine","at":"2026-11-27T10:22:13.368Z","details":{},"hash":"dc3d65c253715f1b614a9a1d7458900fbc715e6fa34babf659efa99d162a244e","previous":"0000000000000000000000000000000000000000000000000000000000000000","run":"8350c159-86b7-42ad-9db7-ccba6ec653a0","sequence":1,"subject":"1349ed772bf2e916a85f9b80a3d9bf973ed78015bd90de5f5994d22ded290ec4"}');
INSERT INTO farewell.audit VALUES (2, '557380dbf9ef163d1000003ba85de41be745f5bc6b1f55628bb2b7cf90360e66', '{"act":"erasure.done","actor":"engine","at":"2026-11-27T10:22:13.368Z","details":{"anonymised":"0","erased":"2","retained":"1"},"hash":"557380dbf9ef163d1000003ba85de41be745f5bc6b1f55628bb2b7cf90360e66","previous":"dc3d65c253715f1b614a9a1d7458900fbc715e6fa34babf659efa99d162a244e","run":"8350c159-86b7-42ad-9db7-ccba6ec653a0","sequence":2,"subject":"1349ed772bf2e916a85f9b80a3d9bf973ed78015bd90de5f5994d22ded290ec4"}');
INSERT INTO farewell.audit VALUES (3, '84a193bcf8734a26348a86b6bcd1ca0e2e5b37e547c6ec7210ba3ad0427c82db', '{"act":"erasure.accepted","actor":"engine","at":"2026-11-27T10:22:13.599Z","details":{},"hash":"84a193bcf8734a26348a86b6bcd1ca0e2e5b37e547c6ec7210ba3ad0427c82db","previous":"557380dbf9ef163d1000003ba85de41be745f5bc6b1f55628bb2b7cf90360e66","run":"4c441e66-bbd8-4603-a7bf-3b0e3fd0a610","sequence":3,"subject":"b476dcef2592649f5345bfda561007785013e092430596ccbe1dc92a8b0b575b"}');
INSERT INTO farewell.audit VALUES (4, '7e90b900e2f7a39ffd6e8a368dbb6103b14806e1fcd41d502fa2fa752442ab3f', '{"act":"erasure.parked","actor":"engine","at":"2026-11-27T10:22:13.610Z","details":{"cause":"sql.P0001"},"hash":"7e90b900e2f7a39ffd6e8a368dbb6103b14806e1fcd41d502fa2fa752442ab3f","previous":"84a193bcf8734a26348a86b6bcd1ca0e2e5b37e547c6ec7210ba3ad0427c82db","run":"4c441e66-bbd8-4603-a7bf-3b0e3fd0a610","sequence":4,"subject":"b476dcef2592649f5345bfda561007785013e092430596ccbe1dc92a8b0b575b"}');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: erasures; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.erasures VALUES ('8350c159-86b7-42ad-9db7-ccba6ec653a0', 'done', NULL, '2026-11-27 10:22:13.36529+00', '2026-11-27 10:22:13.368193+00', 1, NULL, NULL, 1, '1349ed772bf2e916a85f9b80a3d9bf973ed78015bd90de5f5994d22ded290ec4', 'sha256:a697734a9efd87371ce7fc32806376af25445947147d9b1831269fcc8688c1e3', 'v2:sha256:a9287ea74e5c50b9ad960fc5c46bb40d17c4cc16d2f626c6080b58d858616510', NULL, NULL, 'eyJhbGciOiJFZERTQSIsImtpZCI6ImdjLUU4ZFZacGZsLTFIMFk1a2RfZ3FpcDlGNXlZaHFpRXlzbU9DXzkzUzAiLCJ0eXAiOiJmYXJld2VsbC1yZWNlaXB0K2p3cyJ9.eyJlbmdpbmVWZXJzaW9uIjoiMC4xLjAiLCJmaW5pc2hlZEF0IjoiMjAyNi0xMS0yN1QxMDoyMjoxMy4zNjhaIiwiaWQiOiI4MzUwYzE1OS04NmI3LTQyYWQtOWRiNy1jY2JhNmVjNjUzYTAiLCJpc3N1ZWRBdCI6IjIwMjYtMTEtMjdUMTA6MjI6MTMuMzY4WiIsIm5vdFZlcmlmaWFibGUiOlt7ImFib3V0IjoiZGVsZXRlZCByb3cgdmVyc2lvbnMiLCJub3RlIjoiUG9zdGdyZVNRTCBrZWVwcyB0aGUgYnl0ZXMgb2YgZGVsZXRlZCByb3dzIGluIGl0cyBmaWxlcyB1bnRpbCBWQUNVVU0gaGFzIHJlbW92ZWQgdGhlbS4ifSx7ImFib3V0Ijoid3JpdGUtYWhlYWQgbG9nIiwibm90ZSI6IkVhcmxpZXIgdmFsdWVzIHN0YXkgaW4gdGhlIGRhdGFiYXNlJ3Mgd3JpdGUtYWhlYWQgbG9nIGFuZCBpdHMgYXJjaGl2ZSB1bnRpbCB0aGVzZSBhcmUgcmVjeWNsZWQuIn0seyJhYm91dCI6ImJhY2stdXBzIiwibm90ZSI6IkJhY2stdXBzIG1hZGUgYmVmb3JlIHRoZSBlcmFzdXJlIHN0aWxsIGNvbnRhaW4gdGhlIGRhdGE7IGFmdGVyIGEgcmVzdG9yZSBpdCBpcyBlcmFzZWQgYWdhaW4uIn1dLCJvdXRPZlNjb3BlIjpbXSwicGxhbkZpbmdlcnByaW50Ijoic2hhMjU2OmE2OTc3MzRhOWVmZDg3MzcxY2U3ZmMzMjgwNjM3NmFmMjU0NDU5NDcxNDdkOWIxODMxMjY5ZmNjODY4OGMxZTMiLCJyZXF1ZXN0ZWRBdCI6IjIwMjYtMTEtMjdUMTA6MjI6MTMuMzY1WiIsInJldGFpbmVkIjpbeyJwbGFjZSI6InB1YmxpYy5pbnZvaWNlcyIsInJlYXNvbiI6IlRheCBsYXcgYXNrcyBmb3IgaW52b2ljZXMgZm9yIHRlbiB5ZWFycy4iLCJyb3dzIjoxLCJ1bnRpbCI6IjIwMzYtMDEtMzEifV0sInNjaGVtYUZpbmdlcnByaW50IjoidjI6c2hhMjU2OmE5Mjg3ZWE3NGU1YzUwYjlhZDk2MGZjNWM0NmJiNDBkMTdjNGNjMTZkMmY2MjZjNjA4MGI1OGQ4NTg2MTY1MTAiLCJzdGVwcyI6W3sibmFtZSI6InJvd3MiLCJvdXRjb21lIjoiZXJhc2VkIiwicGxhY2VzIjpbeyJhbm9ueW1pc2VkIjowLCJlcmFzZWQiOjEsInBsYWNlIjoicHVibGljLmFjY291bnRzIiwicmV0YWluZWQiOjB9LHsiYW5vbnltaXNlZCI6MCwiZXJhc2VkIjowLCJwbGFjZSI6InB1YmxpYy5pbnZvaWNlcyIsInJldGFpbmVkIjoxfSx7ImFub255bWlzZWQiOjAsImVyYXNlZCI6MSwicGxhY2UiOiJwdWJsaWMubm90ZXMiLCJyZXRhaW5lZCI6MH1dLCJzdG9yZSI6InBvc3RncmVzcWwifV0sInN1YmplY3QiOiIxMzQ5ZWQ3NzJiZjJlOTE2YTg1ZjliODBhM2Q5YmY5NzNlZDc4MDE1YmQ5MGRlNWY1OTk0ZDIyZGVkMjkwZWM0IiwidmVyaWZpY2F0aW9uIjp7ImRlZXBTY2FuIjp7ImNvbHVtbnMiOjAsImV4dGVudCI6Im5vbmUiLCJmb3VuZCI6W10sImxlZnQiOjAsImxlZnRJbiI6W10sIm5vdFNlYXJjaGVkIjpbXSwib2NjdXJyZW5jZXMiOjAsInJvd3MiOjAsInNpbWlsYXIiOjAsInNpbWlsYXJJbiI6W119LCJyZWFkQmFjayI6eyJwbGFjZXMiOjMsInJvd3NMZWZ0IjowfSwicmVzaWR1ZSI6eyJieXRlcyI6MCwiZmlsZXMiOjAsIm9jY3VycmVuY2VzIjowLCJzdGF0ZSI6Im5vdC1hcHBsaWNhYmxlIn19LCJ2ZXJzaW9uIjoxfQ.PHSDCDMLWZOL4x4g0QriOD6bNtdIOWVIDZuYKtAaXrMZaOdE7WMZFhbkh8uHSzEDvQLlqg8ZBlw-699aAutvAQ', NULL);
INSERT INTO farewell.erasures VALUES ('4c441e66-bbd8-4603-a7bf-3b0e3fd0a610', 'needs attention', 'A trigger of public.notes refused the change with P0001 (function boats()). Trigger: boats of public.notes. Read the function''s conditions, then let it allow the change or give the table another rule in the plan.', '2026-11-27 10:22:13.596509+00', NULL, 1, NULL, NULL, 1, 'b476dcef2592649f5345bfda561007785013e092430596ccbe1dc92a8b0b575b', 'sha256:a697734a9efd87371ce7fc32806376af25445947147d9b1831269fcc8688c1e3', 'v2:sha256:a9287ea74e5c50b9ad960fc5c46bb40d17c4cc16d2f626c6080b58d858616510', '\x497e13013d4934e2466c1f5d6ed688355c2ee667cc71c8b04f9dfae3467263cff2b2d476e42f7bb067adb9ab945229bf9d7f5380dd48801c1efb525c', '\xee7dd410430143ec5161dae70dc4ff9802b3dfeb22ac30b4302cae8ee1678c7758df8bdea5494fbd0c340b4e300cd5271be4a38094e9b1d2b3d66ca10ea969fde06250642e5d85ed4671a0d59e2da008f2c4fed7e55c89d6ff0f74f639f79bca6befafe481a4cff904d673e66f03474efe24813192ffae5011b00b97801b3af59d21f5c4cad864fb2a1a596f91fd96dfca31f8e75547b0c9994d438cd2151b53f994b17315d629b136ff405f9421225c1cb0cac41605a335d6196ceadf850f4174a575b176a5db73f9fb69f782c61af9e6f67ee42d68c517fe5fe8d521088f23f008d8b55821e84ca9d66191bdf7eb5b55d71a0d66f1a74edecf4e9e8a85097a4acc6cd406a0cc59fc9f9dedbd0343118f94263ee6af0dd7c225dea6341ab538c7d5ba4aff9fa2b5ba8166c9fc047c75d63ad0ac2c', NULL, 'sql.P0001');


--
-- Data for Name: events; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: fence_salt; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.fence_salt VALUES (1, '8c5e751967a94941a169cf15c64f02a360708c2e4962450fbad6513dd152b906');


--
-- Data for Name: fences; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: holds; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: installation; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.installation VALUES (1, '61c3dafb3d17a9237c72c2f28a752606', '2026-11-27 10:22:13.2547+00');


--
-- Data for Name: keepsakes; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: ledger; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.ledger VALUES ('1349ed772bf2e916a85f9b80a3d9bf973ed78015bd90de5f5994d22ded290ec4', '8350c159-86b7-42ad-9db7-ccba6ec653a0', '{"erasedAt":"2026-11-27T10:22:13.368Z","incarnation":"e67790c1d167a8a80363acc3929243d9dd27abefbcd7b61704ec21f14f395f16","receipt":"8350c159-86b7-42ad-9db7-ccba6ec653a0","subject":"1349ed772bf2e916a85f9b80a3d9bf973ed78015bd90de5f5994d22ded290ec4"}', NULL);


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.migrations VALUES (1, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (2, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (3, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (4, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (5, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (6, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (7, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (8, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (9, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (10, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (11, '2026-11-27 10:22:13.2547+00');
INSERT INTO farewell.migrations VALUES (12, '2026-11-27 10:22:13.2547+00');


--
-- Data for Name: news; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: received; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: requests; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: retentions; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.retentions VALUES ('8350c159-86b7-42ad-9db7-ccba6ec653a0', 0, 'public.invoices', 1, '2036-01-31', NULL, NULL, NULL, NULL, '\x344589aa81c58900bc0e288d7772d163f330c8ff108fbce12adb971b783e62daad16e6c3e779024042b649dbb5baf94a7d3519d9a51c035c3ca89735', '\x92e92df1c5fd20e3a22dff087435dbcd72a68f142d269f62c9415dc97e22859b121a019c06b20972e8b740adf58f363c710c7de6822df62bdaecd64fcb369db53a6d0b27165c5278da7b05b7c77467f440e3d6d0bc2d1e1a0ce6bbb9fb7f736fa5dcaab06d051b49fe892f5cd08cecf4eafd77544883b4438eb2bdb31cbf1d096583eca0e4e825ed9c3302b2b26a1bdf5bb474b0c8c5b8eb4e650b410d82ef1e45f1afc3063062cefd80f7d1965f17a21c619b573a396f39adbaaf6489240fea75b19714c6189c9d2e4652b2909983eadfa31ed66432b9e36ab658b246c8fcebd0f8d7490147e2');


--
-- Data for Name: revocation_readers; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: schemas; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.schemas VALUES ('v2:sha256:a9287ea74e5c50b9ad960fc5c46bb40d17c4cc16d2f626c6080b58d858616510', '{"role":{"name":"farewell","bypassesRowSecurity":true},"tables":[{"indexes":[{"isPartial":false,"name":"accounts_email_key","method":"btree","definition":"","columns":["email"],"isDeferrable":false,"isUnique":true,"areNullsEqual":false},{"isPartial":false,"name":"accounts_pkey","method":"btree","definition":"","columns":["id"],"isDeferrable":false,"isUnique":true,"areNullsEqual":false}],"foreignKeys":[],"hasRowID":false,"owner":"farewell","triggers":[],"uniqueKeys":[["email"]],"publications":[],"missingRights":[],"isPopulated":true,"primaryKey":["id"],"columns":[{"name":"id","type":"text","isGenerated":false,"baseType":"text","kind":"text","isNullable":false,"qualifiedType":"text"},{"name":"email","type":"text","isGenerated":false,"baseType":"text","kind":"text","isNullable":false,"qualifiedType":"text"},{"name":"name","type":"text","isGenerated":false,"baseType":"text","kind":"text","isNullable":false,"qualifiedType":"text"}],"kind":"table","rowSecurity":{"appliesToRole":false,"isEnabled":false,"isForced":false},"name":"public.accounts","checks":[],"changesRefusedForReplication":[],"exclusions":[],"parents":[]},{"owner":"farewell","parents":[],"changesRefusedForReplication":[],"kind":"table","primaryKey":["id"],"checks":[],"exclusions":[],"columns":[{"name":"id","type":"integer","isGenerated":false,"baseType":"int4","kind":"integer","isNullable":false,"qualifiedType":"integer"},{"name":"account_id","type":"text","isGenerated":false,"baseType":"text","kind":"text","isNullable":true,"qualifiedType":"text"},{"name":"total","type":"integer","isGenerated":false,"baseType":"int4","kind":"integer","isNullable":false,"qualifiedType":"integer"},{"name":"issued_on","type":"date","isGenerated":false,"baseType":"date","kind":"timestamp","isNullable":false,"qualifiedType":"date"}],"uniqueKeys":[],"name":"public.invoices","triggers":[],"indexes":[{"isPartial":false,"areNullsEqual":false,"name":"invoices_account","columns":["account_id"],"isUnique":false,"definition":"","method":"btree","isDeferrable":false},{"isPartial":false,"areNullsEqual":false,"name":"invoices_pkey","columns":["id"],"isUnique":true,"definition":"","method":"btree","isDeferrable":false}],"isPopulated":true,"foreignKeys":[{"setColumns":[],"onUpdate":"no action","columns":["account_id"],"name":"invoices_account_id_fkey","matchesFull":false,"targetColumns":["id"],"isDeferrable":false,"isValidated":true,"isDeferred":false,"target":"public.accounts","onDelete":"no action"}],"missingRights":[],"publications":[],"hasRowID":false,"rowSecurity":{"appliesToRole":false,"isEnabled":false,"isForced":false}},{"missingRights":[],"foreignKeys":[{"setColumns":[],"onUpdate":"no action","name":"notes_account_id_fkey","columns":["account_id"],"matchesFull":false,"targetColumns":["id"],"isDeferrable":false,"isValidated":true,"isDeferred":false,"target":"public.accounts","onDelete":"no action"}],"columns":[{"name":"id","type":"integer","isGenerated":false,"baseType":"int4","kind":"integer","isNullable":false,"qualifiedType":"integer"},{"name":"account_id","type":"text","isGenerated":false,"baseType":"text","kind":"text","isNullable":false,"qualifiedType":"text"},{"name":"body","type":"text","isGenerated":false,"baseType":"text","kind":"text","isNullable":false,"qualifiedType":"text"}],"changesRefusedForReplication":[],"indexes":[{"isDeferrable":false,"name":"notes_account","columns":["account_id"],"isUnique":false,"isPartial":false,"definition":"","areNullsEqual":false,"method":"btree"},{"isDeferrable":false,"name":"notes_pkey","columns":["id"],"isUnique":true,"isPartial":false,"definition":"","areNullsEqual":false,"method":"btree"}],"publications":[],"isPopulated":true,"checks":[],"rowSecurity":{"appliesToRole":false,"isEnabled":false,"isForced":false},"hasRowID":false,"kind":"table","triggers":[{"isForEachRow":true,"name":"boats","statement":"CREATE TRIGGER boats BEFORE DELETE ON public.notes FOR EACH ROW WHEN ((old.body = ''A boat''::text)) EXECUTE FUNCTION public.boats()","definition":" BEGIN RAISE ''no boat goes''; END ","functions":[{"name":"public.boats","definition":"CREATE OR REPLACE FUNCTION public.boats()\n RETURNS trigger\n LANGUAGE plpgsql\nAS $function$ BEGIN RAISE ''no boat goes''; END $function$\n"}],"events":["delete"],"isRule":false,"isInstead":false}],"primaryKey":["id"],"parents":[],"uniqueKeys":[],"name":"public.notes","owner":"farewell","exclusions":[]}],"dialect":"postgresql","eventTriggers":[]}');


--
-- Data for Name: step_ups; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: steps; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.steps VALUES ('8350c159-86b7-42ad-9db7-ccba6ec653a0', 'rows', 'done', 1, '2026-11-27 10:22:13.36529+00', '2026-11-27 10:22:13.368193+00', '{"public.accounts":1,"public.invoices":1,"public.notes":1}', NULL);
INSERT INTO farewell.steps VALUES ('4c441e66-bbd8-4603-a7bf-3b0e3fd0a610', 'rows', 'running', 1, '2026-11-27 10:22:13.598844+00', NULL, NULL, NULL);


--
-- Data for Name: tickets; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: accounts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.accounts VALUES ('account-ben', 'ben@example.org', 'Ben Bose');
INSERT INTO public.accounts VALUES ('account-eve', 'eve@example.org', 'Eve Erny');
INSERT INTO public.accounts VALUES ('account-ole', 'ole@example.org', 'Ole Olsen');


--
-- Data for Name: invoices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.invoices VALUES (2, 'account-ben', 700, '2026-01-31');
INSERT INTO public.invoices VALUES (3, 'account-eve', 500, '2026-01-31');
INSERT INTO public.invoices VALUES (1, NULL, 900, '2026-01-31');


--
-- Data for Name: notes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notes VALUES (2, 'account-ben', 'Holidays');
INSERT INTO public.notes VALUES (3, 'account-eve', 'Call the bank');
INSERT INTO public.notes VALUES (4, 'account-ole', 'A boat');


--
-- Name: events_id_seq; Type: SEQUENCE SET; Schema: farewell; Owner: -
--

SELECT pg_catalog.setval('farewell.events_id_seq', 1, false);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (sequence);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (event, endpoint);


--
-- Name: erasures erasures_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);


--
-- Name: events events_occasion_key; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.events
    ADD CONSTRAINT events_occasion_key UNIQUE (erasure, kind, occasion);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);


--
-- Name: fence_salt fence_salt_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.fence_salt
    ADD CONSTRAINT fence_salt_pkey PRIMARY KEY (only_row);


--
-- Name: fences fences_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.fences
    ADD CONSTRAINT fences_pkey PRIMARY KEY (mark);


--
-- Name: holds holds_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (erasure);


--
-- Name: installation installation_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (id);


--
-- Name: keepsakes keepsakes_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.keepsakes
    ADD CONSTRAINT keepsakes_pkey PRIMARY KEY (erasure);


--
-- Name: ledger ledger_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (subject_hash, receipt);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);


--
-- Name: news news_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.news
    ADD CONSTRAINT news_pkey PRIMARY KEY (erasure, step);


--
-- Name: received received_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.received
    ADD CONSTRAINT received_pkey PRIMARY KEY (issuer, identifier);


--
-- Name: requests requests_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (erasure);


--
-- Name: retentions retentions_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.retentions
    ADD CONSTRAINT retentions_pkey PRIMARY KEY (erasure, piece);


--
-- Name: revocation_readers revocation_readers_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.revocation_readers
    ADD CONSTRAINT revocation_readers_pkey PRIMARY KEY (name);


--
-- Name: schemas schemas_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.schemas
    ADD CONSTRAINT schemas_pkey PRIMARY KEY (fingerprint);


--
-- Name: step_ups step_ups_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.step_ups
    ADD CONSTRAINT step_ups_pkey PRIMARY KEY (hash);


--
-- Name: steps steps_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.steps
    ADD CONSTRAINT steps_pkey PRIMARY KEY (erasure, name);


--
-- Name: tickets tickets_key_hash_key; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.tickets
    ADD CONSTRAINT tickets_key_hash_key UNIQUE (key_hash);


--
-- Name: tickets tickets_pkey; Type: CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.tickets
    ADD CONSTRAINT tickets_pkey PRIMARY KEY (hash);


--
-- Name: accounts accounts_email_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_email_key UNIQUE (email);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);


--
-- Name: invoices invoices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (id);


--
-- Name: notes notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (id);


--
-- Name: deliveries_next; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX deliveries_next ON farewell.deliveries USING btree (next_at) WHERE (state = 'waiting'::text);


--
-- Name: erasures_ended; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX erasures_ended ON farewell.erasures USING btree (subject_hash) WHERE (state = ANY (ARRAY['done'::text, 'cancelled'::text]));


--
-- Name: erasures_live; Type: INDEX; Schema: farewell; Owner: -
--

CREATE UNIQUE INDEX erasures_live ON farewell.erasures USING btree (subject_hash) WHERE (state <> ALL (ARRAY['done'::text, 'cancelled'::text]));


--
-- Name: events_unaddressed; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX events_unaddressed ON farewell.events USING btree (id) WHERE (addressed_at IS NULL);


--
-- Name: fences_erasure; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX fences_erasure ON farewell.fences USING btree (erasure);


--
-- Name: keepsakes_look; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX keepsakes_look ON farewell.keepsakes USING btree (look_at) WHERE (look_at IS NOT NULL);


--
-- Name: requests_ready; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX requests_ready ON farewell.requests USING btree (ready_at) WHERE (ready_at IS NOT NULL);


--
-- Name: requests_untold; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX requests_untold ON farewell.requests USING btree (erasure) WHERE (told IS NULL);


--
-- Name: retentions_until; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX retentions_until ON farewell.retentions USING btree (until) WHERE (ended_at IS NULL);


--
-- Name: tickets_erasure; Type: INDEX; Schema: farewell; Owner: -
--

CREATE INDEX tickets_erasure ON farewell.tickets USING btree (erasure);


--
-- Name: invoices_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_account ON public.invoices USING btree (account_id);


--
-- Name: notes_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notes_account ON public.notes USING btree (account_id);


--
-- Name: notes boats; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER boats BEFORE DELETE ON public.notes FOR EACH ROW WHEN ((old.body = 'A boat'::text)) EXECUTE FUNCTION public.boats();


--
-- Name: deliveries deliveries_event_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.deliveries
    ADD CONSTRAINT deliveries_event_fkey FOREIGN KEY (event) REFERENCES farewell.events(id) ON DELETE CASCADE;


--
-- Name: events events_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.events
    ADD CONSTRAINT events_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: fences fences_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.fences
    ADD CONSTRAINT fences_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: holds holds_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.holds
    ADD CONSTRAINT holds_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: keepsakes keepsakes_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.keepsakes
    ADD CONSTRAINT keepsakes_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: news news_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.news
    ADD CONSTRAINT news_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: requests requests_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.requests
    ADD CONSTRAINT requests_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: retentions retentions_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.retentions
    ADD CONSTRAINT retentions_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: steps steps_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.steps
    ADD CONSTRAINT steps_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: tickets tickets_erasure_fkey; Type: FK CONSTRAINT; Schema: farewell; Owner: -
--

ALTER TABLE ONLY farewell.tickets
    ADD CONSTRAINT tickets_erasure_fkey FOREIGN KEY (erasure) REFERENCES farewell.erasures(id) ON DELETE CASCADE;


--
-- Name: invoices invoices_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: notes notes_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- PostgreSQL database dump complete
--


