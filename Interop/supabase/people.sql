-- SPDX-License-Identifier: Apache-2.0
-- Three people of the app, run by a superuser, with something of each in every place that the services write: the one
-- with id :person leaves, `…-0002` stays, and `…-0003`, who has no files, owns the bucket `avatars`.
-- What it is given: people = a list of {"id": …, "email": …, "name": …}
CREATE TEMPORARY TABLE person AS
  SELECT (p ->> 'id')::uuid AS id, p ->> 'email' AS email, p ->> 'name' AS name, n
  FROM json_array_elements(:'people'::json) WITH ORDINALITY AS listed (p, n);

INSERT INTO auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
  recovery_token, email_change_token_new, email_change, last_sign_in_at, raw_app_meta_data, raw_user_meta_data,
  created_at, updated_at)
SELECT '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', email, '$2a$10$hash', now(), '', '',
  '', '', now(), '{"provider": "email", "providers": ["email"]}', json_build_object('full_name', name), now(), now()
FROM person;
INSERT INTO auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
SELECT id::text, id, json_build_object('sub', id, 'email', email), 'email', now(), now(), now() FROM person;
INSERT INTO auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
SELECT gen_random_uuid(), id, now(), now(), 'aal1', 'app/1.0', '192.0.2.7' FROM person;
INSERT INTO auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
SELECT '00000000-0000-0000-0000-000000000000', 'token-' || user_id, user_id, false, now(), now(), id FROM auth.sessions
WHERE user_id IN (SELECT id FROM person);
-- One of before there were sessions: nothing but the text names whose it is.
INSERT INTO auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at)
SELECT '00000000-0000-0000-0000-000000000000', 'old-token-' || id, id, true, now(), now() FROM person;
INSERT INTO auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
SELECT id, now(), now(), 'password', gen_random_uuid() FROM auth.sessions WHERE user_id IN (SELECT id FROM person);
INSERT INTO auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
SELECT gen_random_uuid(), id, 'phone of ' || name, 'totp', 'verified', now(), now(), 'secret' FROM person;
INSERT INTO auth.mfa_challenges (id, factor_id, created_at, ip_address)
SELECT gen_random_uuid(), id, now(), '192.0.2.7' FROM auth.mfa_factors WHERE user_id IN (SELECT id FROM person);
INSERT INTO auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to)
SELECT gen_random_uuid(), id, 'recovery_token', 'hash-' || id, email FROM person;
INSERT INTO auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, created_at,
  updated_at, authentication_method)
SELECT gen_random_uuid(), id, 'code-' || id, 's256', 'challenge', 'email', now(), now(), 'magiclink' FROM person;
INSERT INTO auth.saml_relay_states (id, sso_provider_id, request_id, for_email, created_at, updated_at, flow_state_id)
SELECT gen_random_uuid(), sso.id, 'request-' || p.id, p.email, now(), now(), NULL
FROM person AS p, (SELECT id FROM auth.sso_providers LIMIT 1) AS sso;
-- Their acts, acts on them, and acts before the service knew them.
INSERT INTO auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
SELECT '00000000-0000-0000-0000-000000000000', gen_random_uuid(), entry, now(), '192.0.2.7'
FROM person AS p, LATERAL (VALUES
  (json_build_object('action', 'login', 'actor_id', p.id, 'actor_username', p.email, 'actor_via_sso', false,
    'log_type', 'account', 'traits', json_build_object('provider', 'email'))),
  (json_build_object('action', 'user_modified', 'actor_id', '00000000-0000-0000-0000-000000000000',
    'actor_username', 'service_role', 'actor_via_sso', false, 'log_type', 'user',
    'traits', json_build_object('user_id', p.id, 'user_email', p.email, 'user_phone', ''))),
  (json_build_object('action', 'user_repeated_signup', 'actor_id', '00000000-0000-0000-0000-000000000000',
    'actor_username', p.email, 'actor_via_sso', false, 'log_type', 'user',
    'traits', json_build_object('provider', 'email')))
) AS entries (entry);

INSERT INTO public.posts (user_id, body) SELECT id, 'first post of ' || name FROM person;
INSERT INTO public.comments (post_id, author_id, body)
SELECT posts.id, p.id, 'seen' FROM person AS p, public.posts WHERE posts.user_id IN (SELECT id FROM person);
INSERT INTO public.push_tokens (token, user_id, platform) SELECT 'device-' || id, id, 'ios' FROM person;

INSERT INTO realtime.messages (topic, extension, payload, event, private)
SELECT 'room-1', 'broadcast', json_build_object('record', json_build_object('user_id', id, 'body', 'first')), 'INSERT', true
FROM person;
INSERT INTO realtime.subscription (subscription_id, entity, claims)
SELECT gen_random_uuid(), 'public.posts', json_build_object('sub', id, 'role', 'authenticated', 'email', email)
FROM person;
INSERT INTO net._http_response (id, status_code, content_type, headers, content, timed_out)
SELECT n, 200, 'application/json', '{}', json_build_object('user_id', id, 'ok', true)::text, false FROM person;
