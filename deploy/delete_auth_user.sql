-- SPDX-License-Identifier: Apache-2.0
--
-- delete_auth_user(): the caller deletes their own row of auth.users, and no other. For apps that call the
-- database directly, as the last step, just before the final sign-out. Run once, as the owner of auth.users.
--
-- The verified token's claims, which PostgREST puts into request.jwt.claims, identify the caller; there is no
-- parameter. The search path is pinned, so that no table or function of the caller's own replaces a system one.

CREATE OR REPLACE FUNCTION public.delete_auth_user() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    caller uuid := nullif(
        pg_catalog.current_setting('request.jwt.claims', true)::pg_catalog.jsonb ->> 'sub', '')::pg_catalog.uuid;
BEGIN
    IF caller IS NULL THEN
        RAISE EXCEPTION 'there is no verified caller' USING ERRCODE = '28000';
    END IF;
    DELETE FROM auth.users WHERE id = caller;
END
$$;

REVOKE ALL ON FUNCTION public.delete_auth_user() FROM PUBLIC;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'authenticated') THEN
        GRANT EXECUTE ON FUNCTION public.delete_auth_user() TO authenticated;
    END IF;
END
$$;
