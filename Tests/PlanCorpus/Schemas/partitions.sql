-- Measurements by the month: partitioned tables whose partitions are named in no program.
-- subject: users.id
-- databases: postgresql
CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text NOT NULL UNIQUE,
  display_name text
);
CREATE TABLE devices (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  serial text NOT NULL UNIQUE,
  firmware text
);
CREATE TABLE readings (
  device_id uuid NOT NULL, -- part of: devices.id
  taken_at date NOT NULL, -- one of: 2026-01-05, 2026-02-05, 2026-03-05
  sequence bigint NOT NULL,
  value numeric(10,2),
  PRIMARY KEY (taken_at, device_id, sequence)
) PARTITION BY RANGE (taken_at);
CREATE TABLE readings_2026_01 PARTITION OF readings FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE readings_2026_02 PARTITION OF readings FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE readings_rest PARTITION OF readings DEFAULT;
CREATE TABLE events (
  id uuid NOT NULL,
  user_id uuid, -- owner: users.id
  kind text NOT NULL, -- one of: view, click, other
  payload jsonb,
  PRIMARY KEY (id, kind)
) PARTITION BY LIST (kind);
CREATE TABLE events_view PARTITION OF events FOR VALUES IN ('view');
CREATE TABLE events_click PARTITION OF events FOR VALUES IN ('click');
CREATE TABLE events_other PARTITION OF events DEFAULT;
CREATE TABLE messages (
  id uuid PRIMARY KEY,
  sender_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  body text
) PARTITION BY HASH (id);
CREATE TABLE messages_0 PARTITION OF messages FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE messages_1 PARTITION OF messages FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE message_reads (
  message_id uuid NOT NULL REFERENCES messages (id) ON DELETE CASCADE, -- part of: messages.id
  reader_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  read_at timestamptz,
  PRIMARY KEY (message_id, reader_id)
);
CREATE TABLE alerts (
  id uuid PRIMARY KEY,
  device_id uuid NOT NULL REFERENCES devices (id) ON DELETE CASCADE, -- part of: devices.id
  acknowledged_by uuid REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  level integer
);
CREATE TABLE sites (
  id uuid PRIMARY KEY,
  name text,
  maintainer_id uuid REFERENCES users (id) ON DELETE SET NULL, -- names: users.id
  device_count integer
);
CREATE TABLE site_devices (
  site_id uuid NOT NULL REFERENCES sites (id) ON DELETE CASCADE, -- about: sites.id
  device_id uuid NOT NULL REFERENCES devices (id) ON DELETE CASCADE, -- part of: devices.id
  PRIMARY KEY (site_id, device_id)
);
CREATE TABLE consents (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- owner: users.id
  purpose text NOT NULL,
  given boolean,
  PRIMARY KEY (user_id, purpose)
);
CREATE TABLE quotas (
  id uuid PRIMARY KEY,
  readings_per_user integer,
  is_default boolean
);
