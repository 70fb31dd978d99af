-- Rows that are only marked as deleted: deleted_at and deleted_by everywhere, and unique keys among the living.
-- subject: accounts.id
-- databases: postgresql, sqlite
-- keys: sparse
CREATE TABLE accounts (
  id bigint PRIMARY KEY,
  email text NOT NULL UNIQUE,
  phone text,
  deleted_at timestamptz
);
CREATE TABLE workspaces (
  id bigint PRIMARY KEY,
  name text,
  deleted_at timestamptz,
  deleted_by bigint REFERENCES accounts (id), -- names: accounts.id
  deletion_reason text
);
CREATE TABLE workspace_accounts (
  workspace_id bigint NOT NULL REFERENCES workspaces (id), -- about: workspaces.id
  account_id bigint NOT NULL REFERENCES accounts (id), -- owner: accounts.id
  inviter_id bigint REFERENCES accounts (id), -- names: accounts.id
  deleted_at timestamptz,
  PRIMARY KEY (workspace_id, account_id)
);
CREATE TABLE documents (
  id bigint PRIMARY KEY,
  workspace_id bigint NOT NULL REFERENCES workspaces (id), -- about: workspaces.id
  account_id bigint NOT NULL REFERENCES accounts (id), -- owner: accounts.id
  title text,
  deleted_at timestamptz,
  deleted_by bigint REFERENCES accounts (id) -- names: accounts.id
);
CREATE TABLE document_revisions (
  id bigint PRIMARY KEY,
  document_id bigint NOT NULL REFERENCES documents (id), -- part of: documents.id
  restored_by bigint REFERENCES accounts (id), -- names: accounts.id
  body text,
  revision integer
);
CREATE TABLE document_comments (
  id bigint PRIMARY KEY,
  document_id bigint NOT NULL REFERENCES documents (id), -- part of: documents.id
  account_id bigint NOT NULL REFERENCES accounts (id), -- owner: accounts.id
  parent_id bigint REFERENCES document_comments (id), -- part of: document_comments.id
  body text,
  deleted_at timestamptz
);
CREATE TABLE folders (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id), -- owner: accounts.id
  parent_folder_id bigint REFERENCES folders (id), -- part of: folders.id
  name text
);
CREATE TABLE folder_documents (
  folder_id bigint NOT NULL REFERENCES folders (id), -- part of: folders.id
  document_id bigint NOT NULL REFERENCES documents (id), -- part of: documents.id
  position integer,
  PRIMARY KEY (folder_id, document_id)
);
CREATE TABLE contacts (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts (id), -- owner: accounts.id
  email text,
  deleted_at timestamptz
);
CREATE TABLE exports (
  id bigint PRIMARY KEY,
  requested_by_account_id bigint NOT NULL, -- owner: accounts.id
  path text,
  row_count integer
);
CREATE TABLE retention_policies (
  id bigint PRIMARY KEY,
  days integer,
  accounts_affected integer,
  set_by bigint REFERENCES accounts (id), -- names: accounts.id
  applies_to_owner boolean
);
CREATE TABLE trash_jobs (
  id bigint PRIMARY KEY,
  ran_at timestamptz,
  accounts_purged integer,
  triggered_by bigint -- names: accounts.id
);
