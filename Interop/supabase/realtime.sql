-- SPDX-License-Identifier: Apache-2.0
-- The schema of Supabase Realtime, run by supabase_admin: messages in a partition for each day, of which the service
-- makes new ones and drops old ones, and who listens to which table.
CREATE TYPE realtime.action AS ENUM ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');
CREATE TYPE realtime.equality_op AS ENUM ('eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in');
CREATE TYPE realtime.user_defined_filter AS (column_name text, op realtime.equality_op, value text);

CREATE FUNCTION realtime.to_regrole(role_name text) RETURNS regrole LANGUAGE sql IMMUTABLE AS $$
  SELECT role_name::regrole
$$;
-- claims: those of the listener's access token, `sub` among them.
CREATE TABLE realtime.subscription (
  id bigint CONSTRAINT pk_subscription PRIMARY KEY GENERATED ALWAYS AS IDENTITY, subscription_id uuid NOT NULL,
  entity regclass NOT NULL, filters realtime.user_defined_filter[] NOT NULL DEFAULT '{}', claims jsonb NOT NULL,
  claims_role regrole NOT NULL GENERATED ALWAYS AS (realtime.to_regrole(claims ->> 'role')) STORED,
  created_at timestamp NOT NULL DEFAULT timezone('utc', now()),
  action_filter text DEFAULT '*' CHECK (action_filter IN ('*', 'INSERT', 'UPDATE', 'DELETE')), selected_columns text[]
);
CREATE INDEX ix_realtime_subscription_entity ON realtime.subscription (entity);
CREATE UNIQUE INDEX subscription_subscription_id_entity_filters_action_filter_selec ON realtime.subscription
  (subscription_id, entity, filters, action_filter, coalesce(selected_columns, '{}'));
CREATE FUNCTION realtime.subscription_check_filters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.filters = coalesce(NEW.filters, '{}');
  RETURN NEW;
END $$;
CREATE TRIGGER tr_check_filters BEFORE INSERT OR UPDATE ON realtime.subscription
  FOR EACH ROW EXECUTE FUNCTION realtime.subscription_check_filters();

CREATE TABLE realtime.messages (
  topic text NOT NULL, extension text NOT NULL, payload jsonb, event text, private boolean DEFAULT false,
  updated_at timestamp NOT NULL DEFAULT now(), inserted_at timestamp NOT NULL DEFAULT now(),
  id uuid NOT NULL DEFAULT gen_random_uuid(), binary_payload bytea, PRIMARY KEY (id, inserted_at),
  CONSTRAINT messages_payload_exclusive CHECK (payload IS NULL OR binary_payload IS NULL)
) PARTITION BY RANGE (inserted_at);
CREATE INDEX messages_inserted_at_topic_index ON realtime.messages (inserted_at DESC, topic)
  WHERE extension = 'broadcast' AND private IS TRUE;
DO $$
DECLARE
  day date;
BEGIN
  FOR day IN SELECT generate_series(current_date - 1, current_date + 3, '1 day') LOOP
    EXECUTE format('CREATE TABLE realtime.%I PARTITION OF realtime.messages FOR VALUES FROM (%L) TO (%L)',
      to_char(day, '"messages_"YYYY"_"MM"_"DD'), day, day + 1);
    EXECUTE format('ALTER TABLE realtime.%I OWNER TO supabase_realtime_admin', to_char(day, '"messages_"YYYY"_"MM"_"DD'));
  END LOOP;
END $$;
ALTER TABLE realtime.messages ENABLE ROW LEVEL SECURITY;

CREATE TABLE realtime.schema_migrations (version bigint PRIMARY KEY, inserted_at timestamp(0));
INSERT INTO realtime.schema_migrations VALUES (20260709120000, now());

CREATE FUNCTION realtime.topic() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT nullif(current_setting('realtime.topic', true), '')
$$;
CREATE FUNCTION realtime.send(payload jsonb, event text, topic text, private boolean DEFAULT true) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO realtime.messages (payload, event, topic, private, extension)
  VALUES (payload, event, topic, private, 'broadcast')
$$;
GRANT SELECT, INSERT, UPDATE ON realtime.messages TO anon, authenticated, service_role;
GRANT SELECT ON realtime.subscription TO anon, authenticated, service_role;
ALTER TABLE realtime.messages OWNER TO supabase_realtime_admin;
ALTER TABLE realtime.subscription OWNER TO supabase_realtime_admin;
REVOKE ALL ON realtime.schema_migrations FROM postgres, dashboard_user;
