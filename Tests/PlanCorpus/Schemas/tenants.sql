-- Several tenants in one database: every key is composite and begins with the tenant.
-- subject: users.id
-- databases: postgresql, sqlite
CREATE TABLE tenants (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  max_users integer,
  contact_owner boolean
);
CREATE TABLE users (
  id bigint PRIMARY KEY,
  email text NOT NULL UNIQUE,
  full_name text
);
CREATE TABLE members (
  tenant_id bigint NOT NULL REFERENCES tenants (id), -- about: tenants.id
  id bigint NOT NULL,
  user_id bigint NOT NULL REFERENCES users (id), -- owner: users.id
  invited_by bigint REFERENCES users (id), -- names: users.id
  title text,
  UNIQUE (tenant_id, user_id),
  PRIMARY KEY (tenant_id, id)
);
CREATE TABLE projects (
  tenant_id bigint NOT NULL REFERENCES tenants (id), -- about: tenants.id
  id bigint NOT NULL,
  name text,
  created_by bigint REFERENCES users (id), -- names: users.id
  PRIMARY KEY (tenant_id, id)
);
CREATE TABLE tasks (
  tenant_id bigint NOT NULL,
  id bigint NOT NULL,
  project_id bigint NOT NULL,
  member_id bigint NOT NULL,
  reviewer_id bigint, -- names: users.id
  body text,
  points integer,
  -- (tenant_id, project_id) about: projects (tenant_id, id)
  FOREIGN KEY (tenant_id, project_id) REFERENCES projects (tenant_id, id),
  -- (tenant_id, member_id) part of: members (tenant_id, id)
  FOREIGN KEY (tenant_id, member_id) REFERENCES members (tenant_id, id) ON DELETE CASCADE,
  PRIMARY KEY (tenant_id, id)
);
CREATE TABLE task_comments (
  tenant_id bigint NOT NULL,
  id bigint NOT NULL,
  task_id bigint NOT NULL,
  user_id bigint NOT NULL REFERENCES users (id), -- owner: users.id
  body text,
  -- (tenant_id, task_id) part of: tasks (tenant_id, id)
  FOREIGN KEY (tenant_id, task_id) REFERENCES tasks (tenant_id, id) ON DELETE CASCADE,
  PRIMARY KEY (tenant_id, id)
);
CREATE TABLE time_entries (
  tenant_id bigint NOT NULL,
  id bigint NOT NULL,
  task_id bigint NOT NULL,
  minutes integer,
  approved_by_user_id bigint REFERENCES users (id), -- names: users.id
  -- (tenant_id, task_id) part of: tasks (tenant_id, id)
  FOREIGN KEY (tenant_id, task_id) REFERENCES tasks (tenant_id, id) ON DELETE CASCADE,
  PRIMARY KEY (tenant_id, id)
);
CREATE TABLE roles (
  tenant_id bigint NOT NULL REFERENCES tenants (id), -- about: tenants.id
  id bigint NOT NULL,
  name text,
  PRIMARY KEY (tenant_id, id)
);
CREATE TABLE role_grants (
  tenant_id bigint NOT NULL,
  role_id bigint NOT NULL,
  member_id bigint NOT NULL,
  granter_id bigint REFERENCES users (id), -- names: users.id
  -- (tenant_id, role_id) about: roles (tenant_id, id)
  FOREIGN KEY (tenant_id, role_id) REFERENCES roles (tenant_id, id),
  -- (tenant_id, member_id) part of: members (tenant_id, id)
  FOREIGN KEY (tenant_id, member_id) REFERENCES members (tenant_id, id) ON DELETE CASCADE,
  PRIMARY KEY (tenant_id, role_id, member_id)
);
CREATE TABLE invoices (
  tenant_id bigint NOT NULL REFERENCES tenants (id), -- about: tenants.id
  id bigint NOT NULL,
  number text,
  net numeric(10,2),
  user_count integer,
  PRIMARY KEY (tenant_id, id)
);
CREATE TABLE sessions (
  id bigint PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  token text NOT NULL UNIQUE,
  device_count integer
);
CREATE TABLE api_tokens (
  tenant_id bigint NOT NULL,
  id bigint NOT NULL,
  member_id bigint NOT NULL,
  secret text,
  -- (tenant_id, member_id) part of: members (tenant_id, id)
  FOREIGN KEY (tenant_id, member_id) REFERENCES members (tenant_id, id),
  PRIMARY KEY (tenant_id, id)
);
