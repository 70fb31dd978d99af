-- An app beside a hosted sign-in: auth.users with UUID keys, and tables of the app in public.
-- subject: auth.users.id
-- databases: postgresql
CREATE SCHEMA auth;
CREATE TABLE auth.users (
  id uuid PRIMARY KEY,
  email varchar(255) NOT NULL UNIQUE,
  phone text UNIQUE,
  encrypted_password varchar(255),
  last_sign_in_at timestamptz
);
CREATE TABLE auth.identities (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE, -- owner: auth.users.id
  provider text NOT NULL,
  provider_id text NOT NULL,
  identity_data jsonb
);
CREATE TABLE auth.sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE, -- owner: auth.users.id
  user_agent text,
  ip inet
);
CREATE TABLE public.profiles (
  id uuid PRIMARY KEY REFERENCES auth.users (id) ON DELETE CASCADE, -- owner: auth.users.id
  display_name text,
  avatar_url text,
  followers integer
);
CREATE TABLE public.teams (
  id uuid PRIMARY KEY,
  name text,
  seat_limit integer,
  created_by uuid REFERENCES auth.users (id) ON DELETE SET NULL -- names: auth.users.id
);
CREATE TABLE public.team_members (
  team_id uuid NOT NULL REFERENCES public.teams (id) ON DELETE CASCADE, -- about: public.teams.id
  user_id uuid NOT NULL REFERENCES public.profiles (id) ON DELETE CASCADE, -- owner: auth.users.id
  role text,
  added_by uuid, -- names: auth.users.id
  PRIMARY KEY (team_id, user_id)
);
CREATE TABLE public.notes (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES public.profiles (id) ON DELETE CASCADE, -- owner: auth.users.id
  team_id uuid REFERENCES public.teams (id) ON DELETE SET NULL, -- about: public.teams.id
  last_edited_by uuid, -- names: auth.users.id
  body text
);
CREATE TABLE public.note_shares (
  id uuid PRIMARY KEY,
  note_id uuid NOT NULL REFERENCES public.notes (id) ON DELETE CASCADE, -- part of: public.notes.id
  shared_with uuid NOT NULL, -- owner: auth.users.id
  can_edit boolean
);
CREATE TABLE public.conversations (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL, -- owner: auth.users.id
  title text
);
CREATE TABLE public.messages (
  id uuid PRIMARY KEY,
  conversation_id uuid NOT NULL REFERENCES public.conversations (id) ON DELETE CASCADE, -- part of: public.conversations.id
  role text,
  content text,
  token_count integer
);
CREATE TABLE public.usage_logs (
  id uuid PRIMARY KEY,
  user_id uuid, -- owner: auth.users.id
  message_id uuid REFERENCES public.messages (id) ON DELETE CASCADE, -- part of: public.messages.id
  tokens integer
);
CREATE TABLE public.subscriptions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE, -- owner: auth.users.id
  plan text,
  seats_per_user integer
);
CREATE TABLE public.feature_flags (
  id uuid PRIMARY KEY,
  name text,
  enabled_for_users boolean,
  user_percentage integer,
  request_id uuid
);
CREATE TABLE public.push_tokens (
  token text PRIMARY KEY,
  uid uuid NOT NULL, -- owner: auth.users.id
  platform text
);
CREATE TABLE public.moderation_actions (
  id uuid PRIMARY KEY,
  subject_type text NOT NULL,
  subject_id uuid NOT NULL, -- owner: auth.users.id when subject_type = 'profile' | part of: public.notes.id when subject_type = 'note'
  moderator_id uuid, -- names: auth.users.id
  action text
);
