-- A firm and its papers: who asked, who granted, who approved, who handles; declared keys that name and do not own.
-- subject: people.id
-- databases: postgresql, sqlite
CREATE TABLE people (
  id bigint PRIMARY KEY,
  email text NOT NULL UNIQUE,
  name text,
  manager_id bigint REFERENCES people (id) -- names: people.id
);
CREATE TABLE departments (
  id bigint PRIMARY KEY,
  name text,
  head_id bigint REFERENCES people (id), -- names: people.id
  deputy_id bigint REFERENCES people (id), -- names: people.id
  people_count integer
);
CREATE TABLE leave_requests (
  id bigint PRIMARY KEY,
  requester_id bigint NOT NULL REFERENCES people (id) ON DELETE CASCADE, -- owner: people.id
  approver_id bigint REFERENCES people (id), -- names: people.id
  substitute_id bigint REFERENCES people (id), -- names: people.id
  days integer,
  state text NOT NULL CHECK (state IN ('open', 'granted', 'refused')) -- one of: open, granted, refused
);
CREATE TABLE expenses (
  id bigint PRIMARY KEY,
  person_id bigint NOT NULL REFERENCES people (id) ON DELETE CASCADE, -- owner: people.id
  booked_by bigint REFERENCES people (id), -- names: people.id
  cents integer CHECK (cents >= 0)
);
CREATE TABLE receipts (
  id bigint PRIMARY KEY,
  expense_id bigint NOT NULL REFERENCES expenses (id), -- part of: expenses.id
  scanned_by bigint REFERENCES people (id), -- names: people.id
  path text
);
CREATE TABLE access_grants (
  id bigint PRIMARY KEY,
  grantee_id bigint NOT NULL REFERENCES people (id) ON DELETE CASCADE, -- owner: people.id
  granter_id bigint REFERENCES people (id), -- names: people.id
  revoked_by_id bigint REFERENCES people (id), -- names: people.id
  scope text
);
CREATE TABLE assets (
  id bigint PRIMARY KEY,
  tag text NOT NULL UNIQUE,
  assigned_to bigint REFERENCES people (id), -- names: people.id
  purchased_by bigint REFERENCES people (id), -- names: people.id
  assigned_count integer
);
CREATE TABLE incidents (
  id bigint PRIMARY KEY,
  reported_by bigint REFERENCES people (id) ON DELETE SET NULL, -- names: people.id
  resolved_by bigint REFERENCES people (id) ON DELETE SET NULL, -- names: people.id
  summary text,
  people_affected integer
);
CREATE TABLE interviews (
  id bigint PRIMARY KEY,
  interviewer_id bigint REFERENCES people (id), -- names: people.id
  position_title text,
  score integer
);
CREATE TABLE approvals (
  id bigint PRIMARY KEY,
  approvable_type text NOT NULL,
  approvable_id bigint NOT NULL, -- part of: expenses.id when approvable_type = 'Expense' | part of: leave_requests.id when approvable_type = 'LeaveRequest' | about: assets.id when approvable_type = 'Asset'
  approver_id bigint REFERENCES people (id), -- names: people.id
  position integer
);
CREATE TABLE policies (
  id bigint PRIMARY KEY,
  title text,
  author_id bigint NOT NULL REFERENCES people (id), -- names: people.id else 1
  approval_limit integer
);
CREATE TABLE salaries (
  person_id bigint NOT NULL REFERENCES people (id) ON DELETE CASCADE, -- owner: people.id
  valid_from date NOT NULL,
  cents integer,
  set_by bigint REFERENCES people (id), -- names: people.id
  PRIMARY KEY (person_id, valid_from)
);
