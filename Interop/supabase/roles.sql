-- SPDX-License-Identifier: Apache-2.0
-- The roles of a Supabase project. `postgres`, the role that a team works with, is not a superuser: it passes row
-- security, may create roles and databases, and since April 2025 is no member of the roles that own auth and storage.
DO $$
DECLARE
  wanted record;
BEGIN
  FOR wanted IN SELECT * FROM (VALUES
    ('supabase_admin', 'LOGIN SUPERUSER CREATEDB CREATEROLE REPLICATION BYPASSRLS'),
    ('postgres', 'LOGIN NOSUPERUSER CREATEDB CREATEROLE REPLICATION BYPASSRLS'),
    ('anon', 'NOLOGIN'), ('authenticated', 'NOLOGIN'), ('service_role', 'NOLOGIN BYPASSRLS'),
    ('authenticator', 'LOGIN NOINHERIT'), ('dashboard_user', 'NOLOGIN CREATEDB CREATEROLE REPLICATION'),
    ('supabase_auth_admin', 'LOGIN NOINHERIT CREATEROLE'), ('supabase_storage_admin', 'LOGIN NOINHERIT CREATEROLE'),
    ('supabase_realtime_admin', 'NOLOGIN NOINHERIT'), ('supabase_functions_admin', 'LOGIN NOINHERIT CREATEROLE'),
    ('supabase_read_only_user', 'LOGIN BYPASSRLS'), ('supabase_replication_admin', 'LOGIN REPLICATION'),
    ('pgbouncer', 'LOGIN')
  ) AS roles (name, options) LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I %s', wanted.name, wanted.options);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL; -- roles are the server's, and another database has made them
    END;
  END LOOP;
  IF (SELECT rolsuper FROM pg_roles WHERE rolname = 'postgres') THEN
    RAISE EXCEPTION 'On this server postgres is a superuser, which it is not in a project.';
  END IF;
  PERFORM pg_advisory_xact_lock(7321004);
  GRANT anon, authenticated, service_role TO authenticator, postgres;
  GRANT authenticator TO supabase_storage_admin;
  GRANT pg_read_all_data, pg_monitor, pg_signal_backend TO postgres;
  GRANT pg_read_all_data TO supabase_read_only_user;
  ALTER ROLE postgres SET search_path TO "$user", public, extensions;
  ALTER ROLE supabase_auth_admin SET search_path TO auth;
  ALTER ROLE supabase_auth_admin SET idle_in_transaction_session_timeout TO '60s';
  ALTER ROLE supabase_storage_admin SET search_path TO storage;
  ALTER ROLE anon SET statement_timeout TO '3s';
  ALTER ROLE authenticated SET statement_timeout TO '8s';
END $$;
