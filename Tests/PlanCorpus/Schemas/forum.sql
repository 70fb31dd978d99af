-- A forum with staff: creators and updaters, granters, approvers, inviters, editors, and counters named after users.
-- subject: users.id
-- databases: postgresql, sqlite
CREATE TABLE users (
  id integer PRIMARY KEY,
  username varchar(60) NOT NULL UNIQUE,
  name varchar(120),
  trust_level integer,
  approved_by_id integer, -- names: users.id
  views integer
);
CREATE TABLE user_emails (
  id integer PRIMARY KEY,
  user_id integer NOT NULL, -- owner: users.id
  email varchar(120) NOT NULL UNIQUE,
  is_primary boolean
);
CREATE TABLE user_stats (
  user_id integer PRIMARY KEY, -- owner: users.id
  topics_entered integer,
  likes_given integer,
  time_read integer
);
CREATE TABLE topics (
  id integer PRIMARY KEY,
  title varchar(120),
  user_id integer NOT NULL, -- owner: users.id
  last_post_user_id integer, -- names: users.id
  deleted_by_id integer, -- names: users.id
  posts_count integer,
  featured_user_count integer
);
CREATE TABLE posts (
  id integer PRIMARY KEY,
  user_id integer NOT NULL, -- owner: users.id
  topic_id integer NOT NULL, -- part of: topics.id
  last_editor_id integer, -- names: users.id
  locked_by_id integer, -- names: users.id
  raw text,
  like_count integer,
  reply_to_post_number integer
);
CREATE TABLE post_revisions (
  id integer PRIMARY KEY,
  user_id integer, -- owner: users.id
  post_id integer NOT NULL, -- part of: posts.id
  modifications text,
  number integer
);
CREATE TABLE post_actions (
  id integer PRIMARY KEY,
  post_id integer NOT NULL, -- part of: posts.id
  user_id integer NOT NULL, -- owner: users.id
  agreed_by_id integer, -- names: users.id
  disagreed_by_id integer, -- names: users.id
  kind integer
);
CREATE TABLE badges (
  id integer PRIMARY KEY,
  name varchar(60),
  grant_count integer,
  target_posts boolean
);
CREATE TABLE user_badges (
  id integer PRIMARY KEY,
  badge_id integer NOT NULL, -- about: badges.id
  user_id integer NOT NULL, -- owner: users.id
  granted_by_id integer, -- names: users.id
  notification_id integer
);
CREATE TABLE groups (
  id integer PRIMARY KEY,
  name varchar(60),
  user_count integer,
  automatic_membership_email_domains text,
  owner_trust_level integer
);
CREATE TABLE group_users (
  id integer PRIMARY KEY,
  group_id integer NOT NULL, -- about: groups.id
  user_id integer NOT NULL, -- owner: users.id
  owner boolean,
  UNIQUE (group_id, user_id)
);
CREATE TABLE group_histories (
  id integer PRIMARY KEY,
  group_id integer NOT NULL, -- about: groups.id
  acting_user_id integer, -- names: users.id
  target_user_id integer, -- names: users.id
  action integer
);
CREATE TABLE invites (
  id integer PRIMARY KEY,
  invite_key varchar(60) NOT NULL UNIQUE,
  invited_by_id integer NOT NULL, -- owner: users.id
  deleted_by_id integer, -- names: users.id
  redemption_count integer,
  max_redemptions integer
);
CREATE TABLE reviewables (
  id integer PRIMARY KEY,
  created_by_id integer, -- names: users.id
  target_created_by_id integer, -- names: users.id
  target_type varchar(60),
  target_id integer, -- part of: posts.id when target_type = 'Post' | owner: users.id when target_type = 'User'
  score integer
);
CREATE TABLE bookmarks (
  id integer PRIMARY KEY,
  user_id integer NOT NULL, -- owner: users.id
  bookmarkable_type varchar(60),
  bookmarkable_id integer, -- part of: posts.id when bookmarkable_type = 'Post' | part of: topics.id when bookmarkable_type = 'Topic'
  name varchar(60)
);
CREATE TABLE drafts (
  id integer PRIMARY KEY,
  user_id integer NOT NULL, -- owner: users.id
  draft_key varchar(60),
  data text,
  sequence integer
);
CREATE TABLE notifications (
  id integer PRIMARY KEY,
  user_id integer NOT NULL, -- owner: users.id
  topic_id integer, -- part of: topics.id
  data varchar(120),
  read boolean
);
CREATE TABLE uploads (
  id integer PRIMARY KEY,
  user_id integer NOT NULL, -- owner: users.id
  url varchar(120),
  filesize integer
);
CREATE TABLE staff_log (
  id integer PRIMARY KEY,
  acting_user_id integer, -- names: users.id
  target_user_id integer, -- names: users.id
  action integer,
  details text
);
CREATE TABLE site_settings (
  id integer PRIMARY KEY,
  name varchar(60),
  value varchar(120),
  max_mentions_per_user integer
);
CREATE TABLE directory_items (
  id integer PRIMARY KEY,
  period_type integer,
  user_id integer NOT NULL, -- owner: users.id
  likes_received integer
);
CREATE TABLE web_hooks (
  id integer PRIMARY KEY,
  url varchar(120),
  active boolean,
  last_user_status integer
);
