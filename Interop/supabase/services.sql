-- SPDX-License-Identifier: Apache-2.0
-- The smaller parts, run by supabase_admin: secrets, scheduled jobs, HTTP requests from the database, and what the
-- vendor's command-line tool keeps.
CREATE TABLE vault.secrets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, description text NOT NULL DEFAULT '', secret text NOT NULL,
  key_id uuid, nonce bytea DEFAULT extensions.gen_random_bytes(12), created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX secrets_name_idx ON vault.secrets (name) WHERE name IS NOT NULL;
CREATE VIEW vault.decrypted_secrets AS
  SELECT id, name, description, secret, secret AS decrypted_secret, key_id, nonce, created_at, updated_at
  FROM vault.secrets;
GRANT SELECT, DELETE, TRUNCATE, REFERENCES ON vault.secrets TO postgres WITH GRANT OPTION;
GRANT SELECT, DELETE, TRUNCATE, REFERENCES ON vault.decrypted_secrets TO postgres WITH GRANT OPTION;

CREATE SCHEMA cron;
GRANT USAGE ON SCHEMA cron TO postgres WITH GRANT OPTION;
CREATE TABLE cron.job (
  jobid bigserial PRIMARY KEY, schedule text NOT NULL, command text NOT NULL, nodename text NOT NULL DEFAULT 'localhost',
  nodeport integer NOT NULL DEFAULT 5432, database text NOT NULL DEFAULT current_database(),
  username text NOT NULL DEFAULT current_user, active boolean NOT NULL DEFAULT true, jobname text,
  CONSTRAINT jobname_username_uniq UNIQUE (jobname, username)
);
CREATE TABLE cron.job_run_details (
  jobid bigint, runid bigserial PRIMARY KEY, job_pid integer, database text, username text, command text, status text,
  return_message text, start_time timestamptz, end_time timestamptz
);
ALTER TABLE cron.job ENABLE ROW LEVEL SECURITY;
ALTER TABLE cron.job_run_details ENABLE ROW LEVEL SECURITY;
CREATE POLICY cron_job_policy ON cron.job USING (username = CURRENT_USER);
CREATE POLICY cron_job_run_details_policy ON cron.job_run_details USING (username = CURRENT_USER);
GRANT SELECT ON cron.job TO postgres WITH GRANT OPTION;
GRANT ALL ON cron.job_run_details TO postgres WITH GRANT OPTION;

CREATE SCHEMA net;
GRANT USAGE ON SCHEMA net TO PUBLIC;
CREATE DOMAIN net.http_method AS text CHECK (VALUE ILIKE 'get' OR VALUE ILIKE 'post' OR VALUE ILIKE 'delete');
-- Neither has a primary key. A worker takes the queue within a second and forgets the answers after six hours.
CREATE UNLOGGED TABLE net.http_request_queue (
  id bigserial, method net.http_method NOT NULL, url text NOT NULL, headers jsonb, body bytea,
  timeout_milliseconds integer NOT NULL
);
CREATE UNLOGGED TABLE net._http_response (
  id bigint, status_code integer, content_type text, headers jsonb, content text, timed_out boolean, error_msg text,
  created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX _http_response_created_idx ON net._http_response (created);
GRANT ALL ON ALL TABLES IN SCHEMA net TO PUBLIC;
GRANT ALL ON ALL SEQUENCES IN SCHEMA net TO PUBLIC;
CREATE FUNCTION net.http_post(
  url text, body jsonb DEFAULT '{}', params jsonb DEFAULT '{}', headers jsonb DEFAULT '{}',
  timeout_milliseconds integer DEFAULT 5000
) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  VALUES ('POST', url, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds) RETURNING id
$$;

CREATE SCHEMA supabase_functions AUTHORIZATION supabase_admin;
GRANT USAGE ON SCHEMA supabase_functions TO postgres, anon, authenticated, service_role;
GRANT ALL ON SCHEMA supabase_functions TO supabase_functions_admin;
CREATE TABLE supabase_functions.migrations (version text PRIMARY KEY, inserted_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE supabase_functions.hooks (
  id bigserial PRIMARY KEY, hook_table_id integer NOT NULL, hook_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(), request_id bigint
);
CREATE INDEX supabase_functions_hooks_request_id_idx ON supabase_functions.hooks (request_id);
CREATE INDEX supabase_functions_hooks_h_table_id_h_name_idx ON supabase_functions.hooks (hook_table_id, hook_name);
-- A database webhook: the whole row goes into the queue.
CREATE FUNCTION supabase_functions.http_request() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path TO supabase_functions AS $$
DECLARE
  request bigint;
BEGIN
  request := net.http_post(TG_ARGV[0], jsonb_build_object('type', TG_OP, 'table', TG_TABLE_NAME, 'schema', TG_TABLE_SCHEMA,
    'record', to_jsonb(NEW), 'old_record', to_jsonb(OLD)), '{}', coalesce(TG_ARGV[2], '{}')::jsonb);
  INSERT INTO supabase_functions.hooks (hook_table_id, hook_name, request_id) VALUES (TG_RELID::integer, TG_NAME, request);
  RETURN coalesce(NEW, OLD);
END $$;
ALTER FUNCTION supabase_functions.http_request() OWNER TO supabase_functions_admin;
ALTER TABLE supabase_functions.migrations OWNER TO supabase_functions_admin;
ALTER TABLE supabase_functions.hooks OWNER TO supabase_functions_admin;
GRANT ALL ON ALL TABLES IN SCHEMA supabase_functions TO postgres, anon, authenticated, service_role;
GRANT ALL ON ALL SEQUENCES IN SCHEMA supabase_functions TO postgres, anon, authenticated, service_role;

-- The command-line tool works as postgres.
CREATE SCHEMA supabase_migrations AUTHORIZATION postgres;
CREATE TABLE supabase_migrations.schema_migrations (
  version text PRIMARY KEY, statements text[], name text, created_by text, idempotency_key text UNIQUE, rollback text[]
);
CREATE TABLE supabase_migrations.seed_files (path text PRIMARY KEY, hash text NOT NULL);
ALTER TABLE supabase_migrations.schema_migrations OWNER TO postgres;
ALTER TABLE supabase_migrations.seed_files OWNER TO postgres;

-- Older projects still have this one.
CREATE SCHEMA pgsodium;
CREATE TYPE pgsodium.key_status AS ENUM ('default', 'valid', 'invalid', 'expired');
CREATE TYPE pgsodium.key_type AS ENUM ('aead-ietf', 'aead-det', 'hmacsha512', 'hmacsha256', 'auth', 'shorthash',
  'generichash', 'kdf', 'secretbox', 'secretstream', 'stream_xchacha20');
CREATE TABLE pgsodium.key (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), status pgsodium.key_status DEFAULT 'valid',
  created timestamptz NOT NULL DEFAULT current_timestamp, expires timestamptz, key_type pgsodium.key_type, key_id bigint,
  key_context bytea DEFAULT '\x7067736f6469756d', name text UNIQUE, associated_data text DEFAULT 'associated',
  raw_key bytea, raw_key_nonce bytea, parent_key uuid REFERENCES pgsodium.key, comment text, user_data text
);
