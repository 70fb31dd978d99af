// SPDX-License-Identifier: Apache-2.0

/// The queries for everything that PostgreSQL writes as text: types, expressions, triggers, functions.
///
/// The text depends on the session's settings: PostgreSQL omits a schema that is in `search_path`, for instance. So the
/// queries run under fixed settings; otherwise one schema would have a different fingerprint for each role. The former
/// settings are restored afterwards, because the transaction may continue.
extension PostgreSQLCatalog {
    private static let fixed: [(name: String, value: String)] = [
        ("search_path", ""), ("quote_all_identifiers", "off"), ("standard_conforming_strings", "on"),
        ("timezone", "UTC"), ("datestyle", "ISO, MDY"), ("intervalstyle", "postgres"), ("bytea_output", "hex"),
        ("extra_float_digits", "1"), ("lc_monetary", "C"),
    ]

    /// Two statements: the first saves the settings and reports whether Citus is installed; the second fixes them. The
    /// second must not start before the first has ended.
    static let fixing: [String] = [
        "SELECT set_config('farewell.catalog_settings', json_build_object("
            + fixed.map { "'\($0.name)', current_setting('\($0.name)')" }.joined(separator: ", ")
            + ")::text, true), \(CitusCatalog.isThere)",
        "SELECT " + fixed.map { "set_config('\($0.name)', '\($0.value)', true)" }.joined(separator: ", "),
    ]

    /// Restores the settings.
    static let restoring = """
        SELECT set_config(before.key, before.value, true)
        FROM json_each_text(current_setting('farewell.catalog_settings')::json) AS before
        """

    private static let isOurs = """
        space.nspname NOT LIKE 'pg\\_%' AND space.nspname NOT IN ('information_schema', 'farewell')
        """

    /// One row for each table: whether it can be read, its replica identity, its columns.
    static let columnDefinitions = """
        SELECT class.oid::bigint, class.relispopulated, class.relreplident::text,
               (SELECT json_agg(attribute.attname)
                FROM pg_catalog.pg_index AS index
                JOIN pg_catalog.pg_attribute AS attribute
                    ON attribute.attrelid = index.indrelid AND attribute.attnum = ANY (index.indkey::int2[])
                WHERE index.indrelid = class.oid AND index.indisvalid AND (
                    class.relreplident = 'i' AND index.indisreplident
                    OR class.relreplident = 'd' AND index.indisprimary AND index.indimmediate))::text,
               json_agg(json_build_array(
                   attribute.attname, pg_catalog.format_type(attribute.atttypid, attribute.atttypmod),
                   pg_catalog.pg_get_expr(standard.adbin, standard.adrelid), attribute.attidentity::text)
                   ORDER BY attribute.attnum)::text
        FROM pg_catalog.pg_class AS class
        JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
        JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
        LEFT JOIN pg_catalog.pg_attrdef AS standard
            ON standard.adrelid = attribute.attrelid AND standard.adnum = attribute.attnum
        WHERE class.relkind IN ('r', 'p', 'f', 'm') AND \(isOurs)
          AND attribute.attnum > 0 AND NOT attribute.attisdropped
        GROUP BY class.oid
        """

    /// Rows for each table's checks, domains' checks, exclusion constraints, keys and unique indexes, without a
    /// partition's copies of its parent's checks.
    static let constraintDefinitions = """
        SELECT check_.conrelid::bigint, 'check',
               json_agg(json_build_array(
                   check_.conname, pg_catalog.pg_get_expr(check_.conbin, check_.conrelid),
                   (SELECT json_agg(attribute.attname ORDER BY attribute.attnum)
                    FROM pg_catalog.pg_attribute AS attribute
                    WHERE attribute.attrelid = check_.conrelid AND attribute.attnum > 0
                      AND (attribute.attnum = ANY (check_.conkey) OR 0 = ANY (check_.conkey))))
                   ORDER BY check_.conname)::text
        FROM pg_catalog.pg_constraint AS check_
        JOIN pg_catalog.pg_class AS class ON class.oid = check_.conrelid
        WHERE check_.contype = 'c' AND NOT (class.relispartition AND check_.coninhcount > 0)
          AND coalesce((to_jsonb(check_) ->> 'conenforced')::boolean, true)
        GROUP BY check_.conrelid
        UNION ALL
        SELECT made.relation::bigint, 'domain',
               json_agg(json_build_array(
                   check_.conname, pg_catalog.pg_get_expr(check_.conbin, 0), json_build_array(made.name))
                   ORDER BY check_.conname, made.name)::text
        FROM (WITH RECURSIVE made (relation, name, type) AS (
                  SELECT attribute.attrelid, attribute.attname, type.oid
                  FROM pg_catalog.pg_type AS type
                  JOIN pg_catalog.pg_attribute AS attribute ON attribute.atttypid = type.oid
                  WHERE type.typtype = 'd' AND type.oid >= 16384 AND attribute.attnum > 0 AND NOT attribute.attisdropped
                  UNION ALL
                  SELECT made.relation, made.name, type.typbasetype
                  FROM made JOIN pg_catalog.pg_type AS type ON type.oid = made.type AND type.typtype = 'd'
              ) SELECT * FROM made) AS made
        JOIN pg_catalog.pg_constraint AS check_ ON check_.contypid = made.type AND check_.contype = 'c'
        GROUP BY made.relation
        UNION ALL
        SELECT exclusion.conrelid::bigint, 'exclusion',
               json_agg(json_build_array(
                   exclusion.conname,
                   \(columnsOfIndex),
                   (SELECT json_agg(operator.oprname ORDER BY part.place)
                    FROM unnest(exclusion.conexclop) WITH ORDINALITY AS part (operator, place)
                    JOIN pg_catalog.pg_operator AS operator ON operator.oid = part.operator),
                   pg_catalog.pg_get_constraintdef(exclusion.oid)) ORDER BY exclusion.conname)::text
        FROM pg_catalog.pg_constraint AS exclusion
        JOIN pg_catalog.pg_index AS index ON index.indexrelid = exclusion.conindid
        WHERE exclusion.contype = 'x'
        GROUP BY exclusion.conrelid
        UNION ALL
        SELECT key.conrelid::bigint, 'key',
               json_agg(json_build_array(
                   key.conname, key.confupdtype::text, key.confmatchtype = 'f', key.condeferred,
                   CASE WHEN key.confdeltype IN ('n', 'd') THEN
                       (SELECT json_agg(attribute.attname ORDER BY attribute.attnum)
                        FROM pg_catalog.pg_attribute AS attribute
                        WHERE attribute.attrelid = key.conrelid AND attribute.attnum > 0
                          AND to_jsonb(key) -> 'confdelsetcols' @> to_jsonb(attribute.attnum)) END))::text
        FROM pg_catalog.pg_constraint AS key
        WHERE key.contype = 'f' AND key.conparentid = 0
        GROUP BY key.conrelid
        UNION ALL
        SELECT index.indrelid::bigint, 'index',
               json_agg(json_build_array(
                   class.relname,
                   CASE WHEN index.indexprs IS NULL AND index.indpred IS NULL THEN '' ELSE
                       (SELECT string_agg(pg_catalog.pg_get_indexdef(index.indexrelid, part, false), ', ' ORDER BY part)
                        FROM generate_series(1, index.indnkeyatts) AS part)
                       || coalesce(' WHERE ' || pg_catalog.pg_get_expr(index.indpred, index.indrelid), '') END,
                   NOT index.indimmediate))::text
        FROM pg_catalog.pg_index AS index
        JOIN pg_catalog.pg_class AS class ON class.oid = index.indexrelid
        JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
        WHERE index.indisunique AND index.indisvalid AND \(isOurs)
        GROUP BY index.indrelid
        """

    /// One row for each trigger and rule that `relations` lists.
    static let triggerStatements = """
        SELECT trigger.oid::bigint, false, pg_catalog.pg_get_triggerdef(trigger.oid, false)
        FROM pg_catalog.pg_trigger AS trigger
        WHERE NOT trigger.tgisinternal AND trigger.tgparentid = 0 AND trigger.tgenabled IN ('O', 'A')
        UNION ALL
        SELECT rule.oid::bigint, true, pg_catalog.pg_get_ruledef(rule.oid, false)
        FROM pg_catalog.pg_rewrite AS rule
        JOIN pg_catalog.pg_class AS class ON class.oid = rule.ev_class
        JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
        WHERE rule.ev_type IN ('2', '3', '4') AND rule.ev_enabled IN ('O', 'A') AND \(isOurs)
        """

    /// The database's own functions, if there is a trigger or a rule that may call one. `CalledFunctions` finds the
    /// called functions, because the server would need seconds to compare all with all. Functions in C have no text.
    static let functions = """
        SELECT function.oid::bigint, space.nspname::text, function.proname::text,
               pg_catalog.pg_get_functiondef(function.oid)
        FROM pg_catalog.pg_proc AS function
        JOIN pg_catalog.pg_namespace AS space ON space.oid = function.pronamespace
        JOIN pg_catalog.pg_language AS language ON language.oid = function.prolang
        WHERE function.prokind IN ('f', 'p') AND language.lanname NOT IN ('internal', 'c') AND \(isOurs)
          AND (EXISTS (SELECT FROM pg_catalog.pg_trigger AS trigger
                       WHERE NOT trigger.tgisinternal AND trigger.tgenabled IN ('O', 'A'))
               OR EXISTS (SELECT FROM pg_catalog.pg_rewrite AS rule
                          WHERE rule.oid >= 16384 AND rule.ev_type IN ('2', '3', '4')))
        """

    /// One row for each table that a publication sends. Servers older than PostgreSQL 15 have no row filters and no
    /// lists of columns.
    static let publications = """
        SELECT class.oid::bigint,
               json_agg(json_build_array(
                   publication.pubname, publication.pubupdate, publication.pubdelete,
                   to_jsonb(sent) ->> 'rowfilter', to_jsonb(sent) -> 'attnames') ORDER BY publication.pubname)::text
        FROM pg_catalog.pg_publication_tables AS sent
        JOIN pg_catalog.pg_publication AS publication ON publication.pubname = sent.pubname
        JOIN pg_catalog.pg_namespace AS space ON space.nspname = sent.schemaname
        JOIN pg_catalog.pg_class AS class ON class.relnamespace = space.oid AND class.relname = sent.tablename
        GROUP BY class.oid
        """

    /// Event triggers, without those of extensions, such as Citus.
    static let eventTriggers = """
        SELECT evtname::text, evtevent::text FROM pg_catalog.pg_event_trigger AS event
        WHERE evtenabled IN ('O', 'A') AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend AS depends
            WHERE depends.classid = 'pg_catalog.pg_event_trigger'::regclass AND depends.objid = event.oid
                AND depends.deptype = 'e')
        ORDER BY 1
        """
}
