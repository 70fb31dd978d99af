--
-- PostgreSQL database dump
--

\restrict QxHRLgDghsJGWnOFtBbykup4tAEqt9V8FmW7E0Xt6ySQrbqEDAAuBxF3tg6X405

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

INSERT INTO farewell.audit VALUES (1, 'a018370a6bb93acf1fdc2052cb0be6fe11060633029c566a41de8da634ae578a', '{"act":"erasure.accepted","actor":"engine","at":"2026-11-26T11:57:43.483Z","details":{},"hash":"a018370a6bb93acf1fdc2052cb0be6fe11060633029c566a41de8da634ae578a","previous":"0000000000000000000000000000000000000000000000000000000000000000","run":"20a8fa44-2ce8-4ff4-a570-e2e8592a99a0","sequence":1,"subject":"6562be2b9c823757598eb4df2cb146379da8aeb6ab6d7e98d0153b5a960e4279"}');
INSERT INTO farewell.audit VALUES (2, '0d005366944ae9e6e36043a68c10209577b6a244d83881b00b2f16f251659ae0', '{"act":"erasure.done","actor":"engine","at":"2026-11-26T11:57:43.483Z","details":{"anonymised":"0","erased":"2","retained":"1"},"hash":"0d005366944ae9e6e36043a68c10209577b6a244d83881b00b2f16f251659ae0","previous":"a018370a6bb93acf1fdc2052cb0be6fe11060633029c566a41de8da634ae578a","run":"20a8fa44-2ce8-4ff4-a570-e2e8592a99a0","sequence":2,"subject":"6562be2b9c823757598eb4df2cb146379da8aeb6ab6d7e98d0153b5a960e4279"}');
INSERT INTO farewell.audit VALUES (3, 'de659e373df72c26c7328684531cdbaef7563a9adc979241423a47030623bec4', '{"act":"erasure.accepted","actor":"engine","at":"2026-11-26T11:57:43.696Z","details":{},"hash":"de659e373df72c26c7328684531cdbaef7563a9adc979241423a47030623bec4","previous":"0d005366944ae9e6e36043a68c10209577b6a244d83881b00b2f16f251659ae0","run":"a9bd90dc-f38f-4ea0-a3e9-119e3942e9d2","sequence":3,"subject":"658b4eef24aa8a425ed11f79da60515f7b09f9e01fba5d345e54ce1e72a2a265"}');
INSERT INTO farewell.audit VALUES (4, '37ca2dcc7842dac3d1ba4edb2319deee2678a5df08c9b9798a327f5d8b603cda', '{"act":"erasure.parked","actor":"engine","at":"2026-11-26T11:57:43.704Z","details":{"cause":"sql.P0001"},"hash":"37ca2dcc7842dac3d1ba4edb2319deee2678a5df08c9b9798a327f5d8b603cda","previous":"de659e373df72c26c7328684531cdbaef7563a9adc979241423a47030623bec4","run":"a9bd90dc-f38f-4ea0-a3e9-119e3942e9d2","sequence":4,"subject":"658b4eef24aa8a425ed11f79da60515f7b09f9e01fba5d345e54ce1e72a2a265"}');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: erasures; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.erasures VALUES ('20a8fa44-2ce8-4ff4-a570-e2e8592a99a0', 'done', NULL, '2026-11-26 11:57:43.476336+00', '2026-11-26 11:57:43.483156+00', 1, NULL, NULL, 1, '6562be2b9c823757598eb4df2cb146379da8aeb6ab6d7e98d0153b5a960e4279', 'sha256:a697734a9efd87371ce7fc32806376af25445947147d9b1831269fcc8688c1e3', 'v2:sha256:a9287ea74e5c50b9ad960fc5c46bb40d17c4cc16d2f626c6080b58d858616510', NULL, NULL, 'eyJhbGciOiJFZERTQSIsImtpZCI6Inp1RDI3WDdMcjRCcFdtWHFfejk5MkpJcWNwQjJESUs1b0xHSG9uRkkwaVUiLCJ0eXAiOiJmYXJld2VsbC1yZWNlaXB0K2p3cyJ9.eyJlbmdpbmVWZXJzaW9uIjoiMC4xLjAiLCJmaW5pc2hlZEF0IjoiMjAyNi0xMS0yNlQxMTo1Nzo0My40ODNaIiwiaWQiOiIyMGE4ZmE0NC0yY2U4LTRmZjQtYTU3MC1lMmU4NTkyYTk5YTAiLCJpc3N1ZWRBdCI6IjIwMjYtMTEtMjZUMTE6NTc6NDMuNDgzWiIsIm5vdFZlcmlmaWFibGUiOlt7ImFib3V0IjoiZGVsZXRlZCByb3cgdmVyc2lvbnMiLCJub3RlIjoiUG9zdGdyZVNRTCBrZWVwcyB0aGUgYnl0ZXMgb2YgZGVsZXRlZCByb3dzIGluIGl0cyBmaWxlcyB1bnRpbCBWQUNVVU0gaGFzIHJlbW92ZWQgdGhlbS4ifSx7ImFib3V0Ijoid3JpdGUtYWhlYWQgbG9nIiwibm90ZSI6IkVhcmxpZXIgdmFsdWVzIHN0YXkgaW4gdGhlIGRhdGFiYXNlJ3Mgd3JpdGUtYWhlYWQgbG9nIGFuZCBpdHMgYXJjaGl2ZSB1bnRpbCB0aGVzZSBhcmUgcmVjeWNsZWQuIn0seyJhYm91dCI6ImJhY2stdXBzIiwibm90ZSI6IkJhY2stdXBzIG1hZGUgYmVmb3JlIHRoZSBlcmFzdXJlIHN0aWxsIGhvbGQgdGhlIGRhdGE7IGFmdGVyIGEgcmVzdG9yZSBpdCBpcyBlcmFzZWQgYWdhaW4uIn1dLCJvdXRPZlNjb3BlIjpbXSwicGxhbkZpbmdlcnByaW50Ijoic2hhMjU2OmE2OTc3MzRhOWVmZDg3MzcxY2U3ZmMzMjgwNjM3NmFmMjU0NDU5NDcxNDdkOWIxODMxMjY5ZmNjODY4OGMxZTMiLCJyZXF1ZXN0ZWRBdCI6IjIwMjYtMTEtMjZUMTE6NTc6NDMuNDc2WiIsInJldGFpbmVkIjpbeyJwbGFjZSI6InB1YmxpYy5pbnZvaWNlcyIsInJlYXNvbiI6IlRheCBsYXcgYXNrcyBmb3IgaW52b2ljZXMgZm9yIHRlbiB5ZWFycy4iLCJyb3dzIjoxLCJ1bnRpbCI6IjIwMzYtMDEtMzEifV0sInNjaGVtYUZpbmdlcnByaW50IjoidjI6c2hhMjU2OmE5Mjg3ZWE3NGU1YzUwYjlhZDk2MGZjNWM0NmJiNDBkMTdjNGNjMTZkMmY2MjZjNjA4MGI1OGQ4NTg2MTY1MTAiLCJzdGVwcyI6W3sibmFtZSI6InJvd3MiLCJvdXRjb21lIjoiZXJhc2VkIiwicGxhY2VzIjpbeyJhbm9ueW1pc2VkIjowLCJlcmFzZWQiOjEsInBsYWNlIjoicHVibGljLmFjY291bnRzIiwicmV0YWluZWQiOjB9LHsiYW5vbnltaXNlZCI6MCwiZXJhc2VkIjowLCJwbGFjZSI6InB1YmxpYy5pbnZvaWNlcyIsInJldGFpbmVkIjoxfSx7ImFub255bWlzZWQiOjAsImVyYXNlZCI6MSwicGxhY2UiOiJwdWJsaWMubm90ZXMiLCJyZXRhaW5lZCI6MH1dLCJzdG9yZSI6InBvc3RncmVzcWwifV0sInN1YmplY3QiOiI2NTYyYmUyYjljODIzNzU3NTk4ZWI0ZGYyY2IxNDYzNzlkYThhZWI2YWI2ZDdlOThkMDE1M2I1YTk2MGU0Mjc5IiwidmVyaWZpY2F0aW9uIjp7ImRlZXBTY2FuIjp7ImNvbHVtbnMiOjAsImV4dGVudCI6Im5vbmUiLCJmb3VuZCI6W10sImxlZnQiOjAsImxlZnRJbiI6W10sIm5vdFNlYXJjaGVkIjpbXSwib2NjdXJyZW5jZXMiOjAsInJvd3MiOjAsInNpbWlsYXIiOjAsInNpbWlsYXJJbiI6W119LCJyZWFkQmFjayI6eyJwbGFjZXMiOjMsInJvd3NMZWZ0IjowfSwicmVzaWR1ZSI6eyJieXRlcyI6MCwiZmlsZXMiOjAsIm9jY3VycmVuY2VzIjowLCJzdGF0ZSI6Im5vdC1hcHBsaWNhYmxlIn19LCJ2ZXJzaW9uIjoxfQ.Tzfw0QhiPNa85hj-dcUQjBne0FBD3ZGIUnuhPnjjojHj5SAZiL4pngvERIT43hS6Hd9AbBYNCeebwD-yNpOQCQ');
INSERT INTO farewell.erasures VALUES ('a9bd90dc-f38f-4ea0-a3e9-119e3942e9d2', 'needs attention', 'A trigger of public.notes refused the change with P0001 (function boats()). Trigger: boats of public.notes. See in the function what it demands, and let it allow the change or give the table another rule in the plan.', '2026-11-26 11:57:43.694658+00', NULL, 1, NULL, NULL, 1, '658b4eef24aa8a425ed11f79da60515f7b09f9e01fba5d345e54ce1e72a2a265', 'sha256:a697734a9efd87371ce7fc32806376af25445947147d9b1831269fcc8688c1e3', 'v2:sha256:a9287ea74e5c50b9ad960fc5c46bb40d17c4cc16d2f626c6080b58d858616510', '\x91f776550bac2aa3e9eb1e66a6f8c4780404eea91c34b099b808c603517c3e910a8b90410d28e7c397acdeec500ee53519d1d4442955c51e33360a9c', '\x93fb5bd85066d4762a0e1ee211922f9dc5a07382117c07b002b23b0e85d907a779cbdeb017b3439ff9a10623316ce052e4b83baaf0af2d0b83f3dbf414d9bd19d746731be8e8a95e012d1255690cd853b69c6abced9bde557c97d9da7c288b584b891238c200f9c9200a9aaef89f5074edf198ff58e90ce75e67b2c0d9c6448fb2fd5d9137445c39d4445a772399024cdb00ba95d4ebded67cc9a7766ef4f8f6477739b09a1558a427a6ce6de17e4101d991bcd772529b5d488a063cbb9a7177c29eb7fba248d75e657ecc02964a2e6278095426b3f249f27037dadf34279098835dcd23817ef2bd82024b328403b0277c1590efc111b75189db0f65a85064cb656e4f0969dabc1cd229e819bbee8a45a66a04697d1f9ecd3998105dc6d90e4150787d9408aec1b7826ab869ee0a98782e61706330', NULL);


--
-- Data for Name: events; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: fence_salt; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.fence_salt VALUES (1, '888a755be90c473aa3b541d36b165d1338eb186523774de8af9ebfba164484be');


--
-- Data for Name: fences; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: holds; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: installation; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.installation VALUES (1, '1f894ce14726c2b5391ad4a831a7540a', '2026-11-26 11:57:43.339607+00');


--
-- Data for Name: keepsakes; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: ledger; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.ledger VALUES ('6562be2b9c823757598eb4df2cb146379da8aeb6ab6d7e98d0153b5a960e4279', '20a8fa44-2ce8-4ff4-a570-e2e8592a99a0', '{"erasedAt":"2026-11-26T11:57:43.483Z","incarnation":"38fb93373612c8afbd833358d38118c645ff92db928b0a96ff2a9124bba4b7aa","receipt":"20a8fa44-2ce8-4ff4-a570-e2e8592a99a0","subject":"6562be2b9c823757598eb4df2cb146379da8aeb6ab6d7e98d0153b5a960e4279"}', NULL);


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.migrations VALUES (1, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (2, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (3, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (4, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (5, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (6, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (7, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (8, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (9, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (10, '2026-11-26 11:57:43.339607+00');
INSERT INTO farewell.migrations VALUES (11, '2026-11-26 11:57:43.339607+00');


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

INSERT INTO farewell.retentions VALUES ('20a8fa44-2ce8-4ff4-a570-e2e8592a99a0', 0, 'public.invoices', 1, '2036-01-31', NULL, NULL, NULL, NULL, '\xa31e622009032c3a5e610d48ef28d32f4b8ad22455ca3daf0faf5890aae10997097d95a22b26ab25f2d895cc815f044d1a664d743b26a35a6bd05531', '\xf3c11484aceb1eb19a8cd640862ce2857646e535797a05e8129148a5c20fa7384f7ee1db97c8556821b0fe864b4a837a7f21401f2950ec75f6e790e6031ee8d973b532545fe4f2551db15c0efb4f37fd12947d9d6af7af367ffa649bfdd3eb8488d6aa895f7c9b5e8695035c1af5c543ef560b3d7bdb5edfde82dfa51241f8635709f814b85ad6abeccbead44cc907b19af020b8762e106c682d73da33fda884c6d25c6f36');


--
-- Data for Name: revocation_readers; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: schemas; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.schemas VALUES ('v2:sha256:a9287ea74e5c50b9ad960fc5c46bb40d17c4cc16d2f626c6080b58d858616510', '{"tables":[{"checks":[],"triggers":[],"publications":[],"owner":"farewell","parents":[],"name":"public.accounts","changesRefusedForReplication":[],"exclusions":[],"isPopulated":true,"foreignKeys":[],"indexes":[{"isDeferrable":false,"columns":["email"],"name":"accounts_email_key","isPartial":false,"method":"btree","definition":"","isUnique":true,"areNullsEqual":false},{"isDeferrable":false,"columns":["id"],"name":"accounts_pkey","isPartial":false,"method":"btree","definition":"","isUnique":true,"areNullsEqual":false}],"kind":"table","columns":[{"isNullable":false,"type":"text","qualifiedType":"text","name":"id","isGenerated":false,"baseType":"text","kind":"text"},{"isNullable":false,"type":"text","qualifiedType":"text","name":"email","isGenerated":false,"baseType":"text","kind":"text"},{"isNullable":false,"type":"text","qualifiedType":"text","name":"name","isGenerated":false,"baseType":"text","kind":"text"}],"missingRights":[],"rowSecurity":{"isEnabled":false,"isForced":false,"appliesToRole":false},"primaryKey":["id"],"hasRowID":false,"uniqueKeys":[["email"]]},{"kind":"table","parents":[],"publications":[],"indexes":[{"areNullsEqual":false,"definition":"","isDeferrable":false,"columns":["account_id"],"method":"btree","isUnique":false,"name":"invoices_account","isPartial":false},{"areNullsEqual":false,"definition":"","isDeferrable":false,"columns":["id"],"method":"btree","isUnique":true,"name":"invoices_pkey","isPartial":false}],"columns":[{"isNullable":false,"type":"integer","qualifiedType":"integer","name":"id","isGenerated":false,"baseType":"int4","kind":"integer"},{"isNullable":true,"type":"text","qualifiedType":"text","name":"account_id","isGenerated":false,"baseType":"text","kind":"text"},{"isNullable":false,"type":"integer","qualifiedType":"integer","name":"total","isGenerated":false,"baseType":"int4","kind":"integer"},{"isNullable":false,"type":"date","qualifiedType":"date","name":"issued_on","isGenerated":false,"baseType":"date","kind":"timestamp"}],"changesRefusedForReplication":[],"checks":[],"missingRights":[],"rowSecurity":{"isEnabled":false,"isForced":false,"appliesToRole":false},"triggers":[],"exclusions":[],"foreignKeys":[{"onUpdate":"no action","isDeferrable":false,"onDelete":"no action","targetColumns":["id"],"matchesFull":false,"name":"invoices_account_id_fkey","isValidated":true,"target":"public.accounts","setColumns":[],"isDeferred":false,"columns":["account_id"]}],"isPopulated":true,"hasRowID":false,"owner":"farewell","name":"public.invoices","uniqueKeys":[],"primaryKey":["id"]},{"indexes":[{"method":"btree","name":"notes_account","isDeferrable":false,"isUnique":false,"isPartial":false,"definition":"","areNullsEqual":false,"columns":["account_id"]},{"method":"btree","name":"notes_pkey","isDeferrable":false,"isUnique":true,"isPartial":false,"definition":"","areNullsEqual":false,"columns":["id"]}],"rowSecurity":{"isEnabled":false,"isForced":false,"appliesToRole":false},"name":"public.notes","kind":"table","primaryKey":["id"],"foreignKeys":[{"columns":["account_id"],"isDeferrable":false,"onDelete":"no action","targetColumns":["id"],"matchesFull":false,"name":"notes_account_id_fkey","isValidated":true,"target":"public.accounts","setColumns":[],"isDeferred":false,"onUpdate":"no action"}],"publications":[],"uniqueKeys":[],"hasRowID":false,"triggers":[{"name":"boats","isForEachRow":true,"events":["delete"],"statement":"CREATE TRIGGER boats BEFORE DELETE ON public.notes FOR EACH ROW WHEN ((old.body = ''A boat''::text)) EXECUTE FUNCTION public.boats()","functions":[{"name":"public.boats","definition":"CREATE OR REPLACE FUNCTION public.boats()\n RETURNS trigger\n LANGUAGE plpgsql\nAS $function$ BEGIN RAISE ''no boat goes''; END $function$\n"}],"isInstead":false,"isRule":false,"definition":" BEGIN RAISE ''no boat goes''; END "}],"changesRefusedForReplication":[],"owner":"farewell","columns":[{"isNullable":false,"type":"integer","qualifiedType":"integer","name":"id","isGenerated":false,"baseType":"int4","kind":"integer"},{"isNullable":false,"type":"text","qualifiedType":"text","name":"account_id","isGenerated":false,"baseType":"text","kind":"text"},{"isNullable":false,"type":"text","qualifiedType":"text","name":"body","isGenerated":false,"baseType":"text","kind":"text"}],"exclusions":[],"missingRights":[],"isPopulated":true,"parents":[],"checks":[]}],"role":{"name":"farewell","bypassesRowSecurity":true},"eventTriggers":[],"dialect":"postgresql"}');


--
-- Data for Name: step_ups; Type: TABLE DATA; Schema: farewell; Owner: -
--



--
-- Data for Name: steps; Type: TABLE DATA; Schema: farewell; Owner: -
--

INSERT INTO farewell.steps VALUES ('20a8fa44-2ce8-4ff4-a570-e2e8592a99a0', 'rows', 'done', 1, '2026-11-26 11:57:43.476336+00', '2026-11-26 11:57:43.483156+00', '{"public.accounts":1,"public.invoices":1,"public.notes":1}', NULL);
INSERT INTO farewell.steps VALUES ('a9bd90dc-f38f-4ea0-a3e9-119e3942e9d2', 'rows', 'running', 1, '2026-11-26 11:57:43.695759+00', NULL, NULL, NULL);


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

\unrestrict QxHRLgDghsJGWnOFtBbykup4tAEqt9V8FmW7E0Xt6ySQrbqEDAAuBxF3tg6X405

