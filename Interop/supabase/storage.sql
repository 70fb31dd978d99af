-- SPDX-License-Identifier: Apache-2.0
-- The schema of Supabase Storage, run by supabase_storage_admin. A file is an object of the object store; its row here
-- is what the service knows of it, and a row deleted by SQL leaves the file. A statement trigger refuses that.
CREATE TYPE storage.buckettype AS ENUM ('STANDARD', 'ANALYTICS', 'VECTOR');

CREATE TABLE storage.buckets (
  id text PRIMARY KEY, name text NOT NULL, owner uuid, created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now(), public boolean DEFAULT false, avif_autodetection boolean DEFAULT false,
  file_size_limit bigint, allowed_mime_types text[], owner_id text, type storage.buckettype NOT NULL DEFAULT 'STANDARD',
  versioning_status text NOT NULL DEFAULT 'DISABLED'
    CONSTRAINT buckets_versioning_status_check CHECK (versioning_status IN ('DISABLED', 'ENABLED', 'SUSPENDED'))
);
COMMENT ON COLUMN storage.buckets.owner IS 'Field is deprecated, use owner_id instead';
CREATE UNIQUE INDEX bname ON storage.buckets (name);

-- owner is the older column; owner_id holds what the token said, a uuid or not. No key leads from either.
CREATE TABLE storage.objects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  bucket_id text CONSTRAINT "objects_bucketId_fkey" REFERENCES storage.buckets, name text, owner uuid,
  created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(), last_accessed_at timestamptz DEFAULT now(),
  metadata jsonb, path_tokens text[] GENERATED ALWAYS AS (string_to_array(name, '/')) STORED, version text,
  owner_id text, user_metadata jsonb, archived_at timestamptz, is_delete_marker boolean NOT NULL DEFAULT false,
  is_versioned boolean NOT NULL DEFAULT false
);
COMMENT ON COLUMN storage.objects.owner IS 'Field is deprecated, use owner_id instead';
-- Archived versions of a file have its name as well.
CREATE UNIQUE INDEX bucketid_objname ON storage.objects (bucket_id, name) WHERE archived_at IS NULL;
CREATE INDEX name_prefix_search ON storage.objects (name text_pattern_ops);
CREATE INDEX idx_objects_bucket_id_name ON storage.objects (bucket_id, name COLLATE "C");
CREATE INDEX idx_objects_bucket_id_name_lower ON storage.objects (bucket_id, lower(name) COLLATE "C");

CREATE TABLE storage.s3_multipart_uploads (
  id text PRIMARY KEY, in_progress_size bigint NOT NULL DEFAULT 0, upload_signature text NOT NULL,
  bucket_id text NOT NULL REFERENCES storage.buckets, key text NOT NULL COLLATE "C", version text NOT NULL, owner_id text,
  created_at timestamptz NOT NULL DEFAULT now(), user_metadata jsonb, metadata jsonb
);
CREATE INDEX idx_multipart_uploads_list ON storage.s3_multipart_uploads (bucket_id, key, created_at);
CREATE TABLE storage.s3_multipart_uploads_parts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  upload_id text NOT NULL REFERENCES storage.s3_multipart_uploads ON DELETE CASCADE, size bigint NOT NULL DEFAULT 0,
  part_number integer NOT NULL, bucket_id text NOT NULL REFERENCES storage.buckets, key text NOT NULL COLLATE "C",
  etag text NOT NULL, owner_id text, version text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE storage.buckets_analytics (
  name text NOT NULL, type storage.buckettype NOT NULL DEFAULT 'ANALYTICS', format text NOT NULL DEFAULT 'ICEBERG',
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), deleted_at timestamptz
);
CREATE UNIQUE INDEX buckets_analytics_unique_name_idx ON storage.buckets_analytics (name) WHERE deleted_at IS NULL;
CREATE TABLE storage.iceberg_namespaces (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), bucket_name text NOT NULL, name text NOT NULL COLLATE "C",
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
  metadata jsonb NOT NULL DEFAULT '{}', catalog_id uuid NOT NULL REFERENCES storage.buckets_analytics ON DELETE CASCADE
);
CREATE UNIQUE INDEX idx_iceberg_namespaces_bucket_id ON storage.iceberg_namespaces (catalog_id, name);
CREATE TABLE storage.iceberg_tables (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  namespace_id uuid NOT NULL REFERENCES storage.iceberg_namespaces ON DELETE CASCADE, bucket_name text NOT NULL,
  name text NOT NULL COLLATE "C", location text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(), remote_table_id text, shard_key text, shard_id text,
  catalog_id uuid NOT NULL REFERENCES storage.buckets_analytics ON DELETE CASCADE
);
CREATE UNIQUE INDEX idx_iceberg_tables_namespace_id ON storage.iceberg_tables (catalog_id, namespace_id, name);
CREATE UNIQUE INDEX idx_iceberg_tables_location ON storage.iceberg_tables (location);
CREATE TABLE storage.buckets_vectors (
  id text PRIMARY KEY, type storage.buckettype NOT NULL DEFAULT 'VECTOR', created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE storage.vector_indexes (
  id text PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL COLLATE "C",
  bucket_id text NOT NULL REFERENCES storage.buckets_vectors, data_type text NOT NULL, dimension integer NOT NULL,
  distance_metric text NOT NULL, metadata_configuration jsonb, created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX vector_indexes_name_bucket_id_idx ON storage.vector_indexes (name, bucket_id);
CREATE TABLE storage.migrations (
  id integer PRIMARY KEY, name varchar(100) NOT NULL UNIQUE, hash varchar(40) NOT NULL,
  executed_at timestamp DEFAULT current_timestamp
);
INSERT INTO storage.migrations VALUES (0, 'create-migrations-table', 'replica'), (55, 'prevent-direct-deletes', 'replica');

CREATE FUNCTION storage.protect_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' THEN
    RAISE EXCEPTION 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      USING ERRCODE = '42501', HINT = 'Rows deleted here would leave the files.';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER protect_buckets_delete BEFORE DELETE ON storage.buckets
  FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();
CREATE TRIGGER protect_objects_delete BEFORE DELETE ON storage.objects
  FOR EACH STATEMENT EXECUTE FUNCTION storage.protect_delete();

CREATE FUNCTION storage.update_updated_at_column() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at = now();
  RETURN NEW;
END $$;
CREATE TRIGGER update_objects_updated_at BEFORE UPDATE ON storage.objects
  FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column();
CREATE FUNCTION storage.enforce_bucket_name_length() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF length(NEW.name) > 100 THEN
    RAISE EXCEPTION 'The name of a bucket has at most 100 characters.';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER enforce_bucket_name_length_trigger BEFORE INSERT OR UPDATE OF name ON storage.buckets
  FOR EACH ROW EXECUTE FUNCTION storage.enforce_bucket_name_length();

CREATE FUNCTION storage.foldername(name text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT (string_to_array(name, '/'))[: cardinality(string_to_array(name, '/')) - 1]
$$;
CREATE FUNCTION storage.filename(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT (string_to_array(name, '/'))[cardinality(string_to_array(name, '/'))]
$$;
CREATE FUNCTION storage.extension(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT reverse(split_part(reverse(storage.filename(name)), '.', 1))
$$;

-- The entries of one folder, with the rights of the caller. Sorted by name it compares small letters; sorted by a time it
-- matches by ILIKE, whose _ and % in a path are wildcards. A folder has no id, and is sorted as its name with a slash.
CREATE FUNCTION storage.search(
  prefix text, bucketname text, limits integer DEFAULT 100, levels integer DEFAULT 1, offsets integer DEFAULT 0,
  search text DEFAULT '', sortcolumn text DEFAULT 'name', sortorder text DEFAULT 'asc'
) RETURNS TABLE (name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb)
LANGUAGE sql STABLE SECURITY INVOKER AS $$
  WITH hits AS (
    SELECT o.*, substr(o.name, length(prefix) + 1) AS below
    FROM storage.objects AS o
    WHERE o.bucket_id = bucketname AND o.archived_at IS NULL AND NOT o.is_delete_marker AND CASE WHEN coalesce(sortcolumn, 'name') = 'name'
      THEN starts_with(lower(o.name), lower(prefix || coalesce(search, '')))
      ELSE o.name ILIKE prefix || coalesce(search, '') || '%' END
  ), entries AS (
    SELECT min(split_part(below, '/', 1) COLLATE "C") AS entry, NULL::uuid AS id, NULL::timestamptz AS updated_at,
      NULL::timestamptz AS created_at, NULL::timestamptz AS last_accessed_at, NULL::jsonb AS metadata
    FROM hits WHERE below LIKE '%/%' GROUP BY lower(split_part(below, '/', 1))
    UNION ALL
    SELECT below, hits.id, hits.updated_at, hits.created_at, hits.last_accessed_at, hits.metadata
    FROM hits WHERE below NOT LIKE '%/%'
  )
  SELECT s.entry, s.id, s.updated_at, s.created_at, s.last_accessed_at, s.metadata
  FROM (
    SELECT *, lower((entry || CASE WHEN entries.id IS NULL THEN '/' ELSE '' END) COLLATE "default") COLLATE "C" AS place FROM entries
  ) AS s
  ORDER BY CASE WHEN lower(sortorder) = 'desc' THEN s.place END DESC, s.place, s.entry
  LIMIT least(coalesce(limits, 100), 1500) OFFSET offsets
$$;

ALTER TABLE storage.buckets ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.s3_multipart_uploads ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.s3_multipart_uploads_parts ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.buckets_analytics ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.iceberg_namespaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.iceberg_tables ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.buckets_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.vector_indexes ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage.migrations ENABLE ROW LEVEL SECURITY;
GRANT ALL ON storage.buckets, storage.objects TO postgres WITH GRANT OPTION;
GRANT ALL ON storage.buckets, storage.objects TO anon, authenticated, service_role;
GRANT ALL ON storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts, storage.buckets_analytics,
  storage.iceberg_namespaces, storage.iceberg_tables TO service_role;
GRANT SELECT ON storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts, storage.iceberg_namespaces,
  storage.iceberg_tables, storage.buckets_vectors, storage.vector_indexes TO anon, authenticated;
GRANT SELECT ON storage.buckets_vectors, storage.vector_indexes TO service_role;
GRANT ALL ON storage.buckets_analytics TO anon, authenticated;
