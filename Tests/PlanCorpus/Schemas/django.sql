-- A ticket system in the style of Django: declared keys without actions, tables of many-to-many pairs, a log of the admin.
-- subject: auth_user.id
-- databases: postgresql, sqlite
CREATE TABLE auth_user (
  id integer PRIMARY KEY,
  username varchar(150) NOT NULL UNIQUE,
  email varchar(254) NOT NULL UNIQUE,
  first_name varchar(150),
  last_name varchar(150),
  is_staff boolean NOT NULL,
  date_joined timestamptz
);
CREATE TABLE django_content_type (
  id integer PRIMARY KEY,
  app_label varchar(100) NOT NULL,
  model varchar(100) NOT NULL
);
CREATE TABLE auth_group (
  id integer PRIMARY KEY,
  name varchar(150) NOT NULL UNIQUE
);
CREATE TABLE auth_user_groups (
  id bigint PRIMARY KEY,
  user_id integer NOT NULL REFERENCES auth_user (id), -- owner: auth_user.id
  group_id integer NOT NULL REFERENCES auth_group (id), -- about: auth_group.id
  UNIQUE (user_id, group_id)
);
CREATE TABLE auth_permission (
  id integer PRIMARY KEY,
  content_type_id integer NOT NULL REFERENCES django_content_type (id), -- about: django_content_type.id
  codename varchar(100) NOT NULL
);
CREATE TABLE auth_user_user_permissions (
  id bigint PRIMARY KEY,
  user_id integer NOT NULL REFERENCES auth_user (id), -- owner: auth_user.id
  permission_id integer NOT NULL REFERENCES auth_permission (id), -- about: auth_permission.id
  UNIQUE (user_id, permission_id)
);
CREATE TABLE django_admin_log (
  id integer PRIMARY KEY,
  action_time timestamptz,
  object_id text,
  object_repr varchar(200),
  action_flag smallint,
  content_type_id integer REFERENCES django_content_type (id), -- about: django_content_type.id
  user_id integer NOT NULL REFERENCES auth_user (id) -- owner: auth_user.id
);
CREATE TABLE authtoken_token (
  key varchar(60) PRIMARY KEY,
  created timestamptz,
  user_id integer NOT NULL UNIQUE REFERENCES auth_user (id) -- owner: auth_user.id
);
CREATE TABLE account_emailaddress (
  id integer PRIMARY KEY,
  email varchar(254) NOT NULL UNIQUE,
  verified boolean NOT NULL,
  user_id integer NOT NULL REFERENCES auth_user (id) -- owner: auth_user.id
);
CREATE TABLE helpdesk_queue (
  id integer PRIMARY KEY,
  title varchar(100),
  default_owner_id integer REFERENCES auth_user (id), -- names: auth_user.id
  escalate_days integer
);
CREATE TABLE helpdesk_ticket (
  id integer PRIMARY KEY,
  queue_id integer NOT NULL REFERENCES helpdesk_queue (id), -- about: helpdesk_queue.id
  submitter_id integer NOT NULL REFERENCES auth_user (id), -- owner: auth_user.id
  assigned_to_id integer REFERENCES auth_user (id), -- names: auth_user.id
  title varchar(200),
  priority integer,
  merged_to_id integer
);
CREATE TABLE helpdesk_followup (
  id integer PRIMARY KEY,
  ticket_id integer NOT NULL REFERENCES helpdesk_ticket (id), -- part of: helpdesk_ticket.id
  user_id integer REFERENCES auth_user (id), -- owner: auth_user.id
  comment text,
  new_status integer
);
CREATE TABLE helpdesk_ticketcc (
  id integer PRIMARY KEY,
  ticket_id integer NOT NULL REFERENCES helpdesk_ticket (id), -- part of: helpdesk_ticket.id
  user_id integer NOT NULL REFERENCES auth_user (id), -- owner: auth_user.id
  can_view boolean
);
CREATE TABLE helpdesk_attachment (
  id integer PRIMARY KEY,
  followup_id integer NOT NULL REFERENCES helpdesk_followup (id), -- part of: helpdesk_followup.id
  filename varchar(120),
  size integer
);
CREATE TABLE helpdesk_kbitem (
  id integer PRIMARY KEY,
  title varchar(100),
  answer text,
  votes integer,
  last_updated_by_id integer REFERENCES auth_user (id) -- names: auth_user.id
);
CREATE TABLE helpdesk_kbitem_voted_by (
  id integer PRIMARY KEY,
  kbitem_id integer NOT NULL REFERENCES helpdesk_kbitem (id), -- about: helpdesk_kbitem.id
  user_id integer NOT NULL REFERENCES auth_user (id), -- owner: auth_user.id
  UNIQUE (kbitem_id, user_id)
);
CREATE TABLE helpdesk_usersettings (
  user_id integer PRIMARY KEY REFERENCES auth_user (id), -- owner: auth_user.id
  tickets_per_page integer,
  email_on_ticket_change boolean
);
CREATE TABLE helpdesk_timespent (
  id integer PRIMARY KEY,
  ticket_id integer NOT NULL REFERENCES helpdesk_ticket (id), -- part of: helpdesk_ticket.id
  user_id integer NOT NULL REFERENCES auth_user (id), -- owner: auth_user.id
  minutes integer
);
CREATE TABLE django_session (
  session_key varchar(60) PRIMARY KEY,
  session_data text NOT NULL,
  expire_date timestamptz
);
