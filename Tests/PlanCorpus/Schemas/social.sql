-- A network of accounts with keys like snowflakes: statuses, favourites, reports, lists, counters per status.
-- subject: accounts.id
-- databases: postgresql, sqlite
-- keys: sparse
CREATE TABLE accounts (
  id bigint PRIMARY KEY,
  username text NOT NULL UNIQUE,
  display_name text,
  note text,
  discoverable boolean
);
CREATE TABLE logins (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL UNIQUE REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  email text NOT NULL UNIQUE,
  sign_in_count integer,
  invite_id bigint -- names: invites.id
);
CREATE TABLE invites (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  code text NOT NULL UNIQUE,
  max_uses integer
);
CREATE TABLE statuses (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  text text,
  in_reply_to_account_id bigint REFERENCES accounts (id) ON DELETE SET NULL, -- names: accounts.id
  reblog_of_id bigint REFERENCES statuses (id) ON DELETE CASCADE, -- part of: statuses.id
  sensitive boolean
);
CREATE TABLE status_stats (
  id bigint PRIMARY KEY,
  status_id bigint NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE, -- part of: statuses.id
  replies_count integer,
  favourites_count integer
);
CREATE TABLE favourites (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  status_id bigint NOT NULL REFERENCES statuses (id) ON DELETE CASCADE, -- part of: statuses.id
  UNIQUE (account_id, status_id)
);
CREATE TABLE mentions (
  id bigint PRIMARY KEY,
  status_id bigint NOT NULL REFERENCES statuses (id) ON DELETE CASCADE, -- part of: statuses.id
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  silent boolean
);
CREATE TABLE relations (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  target_account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  kind text, -- one of: follow, block, mute
  UNIQUE (account_id, target_account_id)
);
CREATE TABLE media (
  id bigint PRIMARY KEY,
  status_id bigint REFERENCES statuses (id) ON DELETE SET NULL, -- part of: statuses.id
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  file_name text
);
CREATE TABLE reports (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  target_account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  assigned_account_id bigint REFERENCES accounts (id) ON DELETE SET NULL, -- names: accounts.id
  action_taken_by_account_id bigint REFERENCES accounts (id) ON DELETE SET NULL, -- names: accounts.id
  status_ids bigint[],
  comment text
);
CREATE TABLE report_notes (
  id bigint PRIMARY KEY,
  report_id bigint NOT NULL REFERENCES reports (id) ON DELETE CASCADE, -- part of: reports.id
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  content text
);
CREATE TABLE lists (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  title text
);
CREATE TABLE list_accounts (
  id bigint PRIMARY KEY,
  list_id bigint NOT NULL REFERENCES lists (id) ON DELETE CASCADE, -- part of: lists.id
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE -- owner: accounts.id
);
CREATE TABLE polls (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  status_id bigint NOT NULL REFERENCES statuses (id) ON DELETE CASCADE, -- part of: statuses.id
  votes_count integer,
  voters_count integer
);
CREATE TABLE poll_votes (
  id bigint PRIMARY KEY,
  poll_id bigint NOT NULL REFERENCES polls (id) ON DELETE CASCADE, -- part of: polls.id
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- owner: accounts.id
  choice integer
);
CREATE TABLE tombstones (
  id bigint PRIMARY KEY,
  uri text,
  by_moderator boolean
);
CREATE TABLE moderation_log (
  id bigint PRIMARY KEY,
  account_id bigint, -- names: accounts.id
  action text,
  target_type text,
  target_id bigint, -- about: tombstones.id when target_type = 'Tombstone' | names: accounts.id when target_type = 'Account'
  status_id bigint
);
CREATE TABLE domain_rules (
  id bigint PRIMARY KEY,
  domain text,
  status_id smallint,
  accounts_count integer,
  obfuscate boolean
);
