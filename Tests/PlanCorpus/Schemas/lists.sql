-- People inside values: arrays of keys, lists in JSON, and members of JSON objects.
-- subject: users.id
-- databases: postgresql, sqlite
-- keys: sparse
CREATE TABLE users (
  id bigint PRIMARY KEY,
  email text NOT NULL UNIQUE,
  nickname text
);
CREATE TABLE channels (
  id bigint PRIMARY KEY,
  name text,
  member_ids bigint[] NOT NULL, -- names: users.id in list
  pinned_tags text[],
  member_limit integer
);
CREATE TABLE messages (
  id bigint PRIMARY KEY,
  channel_id bigint NOT NULL REFERENCES channels (id), -- about: channels.id
  user_id bigint NOT NULL REFERENCES users (id), -- owner: users.id
  body text
);
CREATE TABLE documents (
  id bigint PRIMARY KEY,
  owner_id bigint NOT NULL REFERENCES users (id), -- owner: users.id
  reader_ids bigint[], -- names: users.id in list
  title text
);
CREATE TABLE watches (
  id bigint PRIMARY KEY,
  repository text,
  watcher_ids bigint[] -- names: users.id in list
);
CREATE TABLE surveys (
  id bigint PRIMARY KEY,
  title text,
  invited_user_ids jsonb -- names: users.id in list
);
CREATE TABLE events (
  id bigint PRIMARY KEY,
  kind text,
  payload jsonb NOT NULL -- owner: users.id at user_id
);
CREATE TABLE webhooks (
  id bigint PRIMARY KEY,
  url text,
  payload jsonb NOT NULL -- owner: users.id at actor.id
);
CREATE TABLE dashboards (
  id bigint PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  layout jsonb,
  widget_ids bigint[]
);
CREATE TABLE widgets (
  id bigint PRIMARY KEY,
  title text,
  refresh_seconds integer
);
CREATE TABLE presets (
  id bigint PRIMARY KEY,
  name text,
  options jsonb,
  for_all_users boolean
);
CREATE TABLE reactions (
  message_id bigint NOT NULL REFERENCES messages (id), -- part of: messages.id
  user_id bigint NOT NULL REFERENCES users (id), -- owner: users.id
  emoji text,
  PRIMARY KEY (message_id, user_id)
);
