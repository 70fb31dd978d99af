-- A community in the style of Rails: polymorphic associations, counters, and not one foreign key.
-- subject: users.id
-- databases: postgresql, sqlite
CREATE TABLE users (
  id bigint PRIMARY KEY,
  email varchar(255) NOT NULL UNIQUE,
  username varchar(60) NOT NULL UNIQUE,
  encrypted_password varchar(255),
  sign_in_count integer NOT NULL DEFAULT 0,
  current_sign_in_ip varchar(60),
  followers_count integer NOT NULL DEFAULT 0,
  admin boolean NOT NULL DEFAULT false,
  created_at timestamptz
);
CREATE TABLE profiles (
  id bigint PRIMARY KEY,
  user_id bigint NOT NULL UNIQUE, -- owner: users.id
  bio text,
  show_user_email boolean,
  created_at timestamptz
);
CREATE TABLE categories (
  id bigint PRIMARY KEY,
  name varchar(100) NOT NULL,
  position integer,
  users_count integer NOT NULL DEFAULT 0,
  topics_per_user_limit integer
);
CREATE TABLE posts (
  id bigint PRIMARY KEY,
  user_id bigint NOT NULL, -- owner: users.id
  category_id bigint, -- about: categories.id
  title varchar(255),
  body text,
  comments_count integer NOT NULL DEFAULT 0,
  likes_count integer NOT NULL DEFAULT 0,
  published_at timestamptz
);
CREATE TABLE pages (
  id bigint PRIMARY KEY,
  slug varchar(120) NOT NULL,
  body text,
  creator_id bigint, -- names: users.id
  updated_by_id bigint, -- names: users.id
  locked_by_id bigint -- names: users.id
);
CREATE TABLE comments (
  id bigint PRIMARY KEY,
  commentable_type varchar(60) NOT NULL,
  commentable_id bigint NOT NULL, -- part of: posts.id when commentable_type = 'Post' | about: pages.id when commentable_type = 'Page'
  author_id bigint NOT NULL, -- owner: users.id
  body text,
  score integer
);
CREATE TABLE likes (
  id bigint PRIMARY KEY,
  user_id bigint NOT NULL, -- owner: users.id
  likeable_type varchar(60) NOT NULL,
  likeable_id bigint NOT NULL, -- part of: posts.id when likeable_type = 'Post' | part of: comments.id when likeable_type = 'Comment' | owner: users.id when likeable_type = 'User'
  value integer
);
CREATE TABLE follows (
  id bigint PRIMARY KEY,
  follower_id bigint NOT NULL, -- owner: users.id
  followee_id bigint NOT NULL, -- owner: users.id
  blocked boolean NOT NULL DEFAULT false,
  UNIQUE (follower_id, followee_id)
);
CREATE TABLE tags (
  id bigint PRIMARY KEY,
  name varchar(60) NOT NULL,
  taggings_count integer
);
CREATE TABLE taggings (
  id bigint PRIMARY KEY,
  tag_id bigint NOT NULL, -- about: tags.id
  taggable_type varchar(60),
  taggable_id bigint, -- part of: posts.id when taggable_type = 'Post' | about: pages.id when taggable_type = 'Page'
  tagger_type varchar(60),
  tagger_id bigint, -- names: users.id when tagger_type = 'User' | about: categories.id when tagger_type = 'Category'
  context varchar(60)
);
CREATE TABLE notifications (
  id bigint PRIMARY KEY,
  recipient_id bigint NOT NULL, -- owner: users.id
  actor_id bigint, -- names: users.id
  notifiable_type varchar(60),
  notifiable_id bigint, -- part of: posts.id when notifiable_type = 'Post' | about: pages.id when notifiable_type = 'Page'
  read_at timestamptz
);
CREATE TABLE attachments (
  id bigint PRIMARY KEY,
  record_type varchar(60) NOT NULL,
  record_id bigint NOT NULL, -- owner: users.id when record_type = 'User' | part of: posts.id when record_type = 'Post' | about: pages.id when record_type = 'Page'
  filename varchar(120),
  byte_size integer
);
CREATE TABLE abuse_reports (
  id bigint PRIMARY KEY,
  reporter_id bigint NOT NULL, -- owner: users.id
  resolved_by_id bigint, -- names: users.id
  target_type varchar(60) NOT NULL,
  target_id bigint NOT NULL, -- owner: users.id when target_type = 'User' | part of: posts.id when target_type = 'Post'
  reason text,
  state integer
);
CREATE TABLE versions (
  id bigint PRIMARY KEY,
  item_type varchar(60) NOT NULL,
  item_id bigint NOT NULL, -- part of: posts.id when item_type = 'Post' | about: pages.id when item_type = 'Page'
  event varchar(20),
  whodunnit varchar(60), -- names: users.id
  object text
);
CREATE TABLE visits (
  id bigint PRIMARY KEY,
  user_id bigint, -- owner: users.id
  visitor_token varchar(80),
  ip varchar(60),
  landing_page text
);
CREATE TABLE events (
  id bigint PRIMARY KEY,
  visit_id bigint, -- part of: visits.id
  user_id bigint, -- owner: users.id
  name varchar(80),
  properties jsonb
);
CREATE TABLE settings (
  id bigint PRIMARY KEY,
  max_sessions_per_user integer,
  default_user_role_id integer,
  site_title text
);
CREATE TABLE daily_stats (
  id bigint PRIMARY KEY,
  day date,
  active_users integer,
  blocked integer,
  with_role_owner integer
);
