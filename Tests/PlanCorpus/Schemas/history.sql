-- Contracts with their history: triggers copy what was, and stamp what is.
-- subject: users.id
-- databases: postgresql, sqlite
CREATE TABLE users (
  id bigint PRIMARY KEY,
  email text NOT NULL UNIQUE,
  name text
);
CREATE TABLE contracts (
  id bigint PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  title text,
  body text,
  version integer
);
CREATE TABLE contracts_history (
  id bigint PRIMARY KEY,
  contract_id bigint NOT NULL, -- part of: contracts.id
  changed_by bigint, -- names: users.id
  body text,
  version integer
);
CREATE TABLE clauses (
  id bigint PRIMARY KEY,
  contract_id bigint NOT NULL REFERENCES contracts (id) ON DELETE CASCADE, -- part of: contracts.id
  body text,
  position integer
);
CREATE TABLE templates (
  id bigint PRIMARY KEY,
  name text,
  body text,
  created_by bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  updated_by bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  updated_at timestamptz -- touched
);
CREATE TABLE signatures (
  id bigint PRIMARY KEY,
  contract_id bigint NOT NULL REFERENCES contracts (id) ON DELETE CASCADE, -- part of: contracts.id
  signer_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  witness_id bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  signed_at timestamptz
);
CREATE TABLE approvals (
  id bigint PRIMARY KEY,
  contract_id bigint NOT NULL REFERENCES contracts (id) ON DELETE CASCADE, -- part of: contracts.id
  approver_id bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  requested_by bigint REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  state text
);
CREATE TABLE price_lists (
  id bigint PRIMARY KEY,
  valid_from date,
  released_by bigint, -- names: users.id
  user_discount integer
);
CREATE TABLE prices (
  id bigint PRIMARY KEY,
  price_list_id bigint NOT NULL REFERENCES price_lists (id), -- about: price_lists.id
  item text,
  cents integer
);
CREATE TABLE reminders (
  id bigint PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  contract_id bigint REFERENCES contracts (id) ON DELETE CASCADE, -- part of: contracts.id
  remind_at timestamptz
);
CREATE TABLE change_sets (
  id bigint PRIMARY KEY,
  editor_id bigint, -- names: users.id
  entity text,
  changed_fields integer
);
--- postgresql
CREATE FUNCTION keep_contract() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO contracts_history (id, contract_id, body, version) VALUES (1000000 + OLD.id * 100 + OLD.version, OLD.id, OLD.body, OLD.version); RETURN NEW; END $$;
CREATE TRIGGER contracts_kept AFTER UPDATE OF body ON contracts FOR EACH ROW EXECUTE FUNCTION keep_contract();
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at = '2026-11-01 00:00:00+00'; RETURN NEW; END $$;
CREATE TRIGGER templates_touched BEFORE UPDATE ON templates FOR EACH ROW EXECUTE FUNCTION touch();
--- sqlite
CREATE TRIGGER contracts_kept AFTER UPDATE OF body ON contracts BEGIN INSERT INTO contracts_history (id, contract_id, body, version) VALUES (1000000 + OLD.id * 100 + OLD.version, OLD.id, OLD.body, OLD.version); END;
CREATE TRIGGER templates_touched AFTER UPDATE OF body ON templates BEGIN UPDATE templates SET updated_at = '2026-11-01 00:00:00+00' WHERE id = NEW.id; END;
