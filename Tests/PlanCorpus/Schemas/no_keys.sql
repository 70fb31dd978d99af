-- A grown system: no foreign keys, few primary keys, abbreviations, and the address as a name of people.
-- subject: members.uid
-- databases: postgresql, sqlite
CREATE TABLE members (
  uid integer PRIMARY KEY,
  login varchar(40) NOT NULL UNIQUE,
  mail varchar(120) NOT NULL UNIQUE,
  pass varchar(80),
  level integer
);
CREATE TABLE member_profile (
  uid integer NOT NULL UNIQUE, -- owner: members.uid
  realname varchar(80),
  birthday date
);
CREATE TABLE orders (
  order_no integer PRIMARY KEY,
  member_uid integer NOT NULL, -- owner: members.uid
  clerk_uid integer, -- names: members.uid
  total numeric(10,2),
  num_items integer
);
CREATE TABLE order_lines (
  order_no integer NOT NULL, -- part of: orders.order_no
  line_no integer NOT NULL,
  sku varchar(40),
  qty integer
);
CREATE TABLE basket (
  session_id varchar(60),
  member_id integer, -- owner: members.uid
  sku varchar(40),
  qty integer
);
CREATE TABLE messages (
  mid integer PRIMARY KEY,
  sender_uid integer NOT NULL, -- owner: members.uid
  recipient_uid integer NOT NULL, -- owner: members.uid
  subject varchar(120),
  body text
);
CREATE TABLE guestbook (
  id integer PRIMARY KEY,
  author_uid integer, -- owner: members.uid
  author varchar(60),
  entry text
);
CREATE TABLE votes (
  voter_id integer NOT NULL, -- owner: members.uid
  poll_id integer NOT NULL, -- about: polls.id
  choice integer
);
CREATE TABLE polls (
  id integer PRIMARY KEY,
  question varchar(120),
  created_by_uid integer, -- names: members.uid
  votes_per_member integer
);
CREATE TABLE downloads (
  id integer PRIMARY KEY,
  file varchar(80),
  creatorid integer, -- names: members.uid
  hits integer
);
CREATE TABLE login_log (
  login_at timestamptz,
  userid integer, -- owner: members.uid
  ip varchar(40),
  failed integer
);
CREATE TABLE newsletter (
  mail varchar(120) NOT NULL, -- owner: members.mail
  confirmed integer,
  list_no integer
);
CREATE TABLE password_reset (
  mail varchar(120) NOT NULL, -- owner: members.mail
  token varchar(80),
  created_at timestamptz
);
CREATE TABLE config (
  name varchar(60) PRIMARY KEY,
  value varchar(120),
  changed_by integer -- names: members.uid
);
CREATE TABLE stats (
  day date,
  members integer,
  new_members integer,
  blocked integer,
  avg_age integer
);
CREATE TABLE countries (
  code varchar(20) PRIMARY KEY,
  name varchar(60),
  member_count integer
);
