// SPDX-License-Identifier: Apache-2.0

/// The three queries for what needs no text. System tables are read directly: `information_schema` is slower by far
/// and silent about partitions, indexes and row security.
extension PostgreSQLCatalog {
    /// One row for each table; one with nulls if there is none, so that the role is always returned.
    static let relations = """
        SELECT current_user::text, role.bypasses, relation.oid::bigint, relation.space::text, relation.relname::text,
               relation.kind,
               (SELECT json_agg(json_build_array(parentspace.nspname, parent.relname) ORDER BY inherits.inhseqno)
                FROM pg_catalog.pg_inherits AS inherits
                JOIN pg_catalog.pg_class AS parent ON parent.oid = inherits.inhparent
                JOIN pg_catalog.pg_namespace AS parentspace ON parentspace.oid = parent.relnamespace
                WHERE inherits.inhrelid = relation.oid)::text,
               relation.relrowsecurity, relation.relforcerowsecurity, pg_catalog.row_security_active(relation.oid),
               relation.missing, CASE WHEN relation.reltuples >= 0 THEN relation.reltuples::bigint END,
               (SELECT json_agg(json_build_array(
                           fires.name, fires.events, fires.definition, fires.number, fires.is_rule, fires.is_for_row,
                           fires.is_instead, fires.function) ORDER BY fires.name)
                FROM (SELECT trigger.tgname AS name,
                             concat_ws(' ', CASE WHEN trigger.tgtype & 4 > 0 THEN 'insert' END,
                                       CASE WHEN trigger.tgtype & 16 > 0 THEN 'update' END,
                                       CASE WHEN trigger.tgtype & 8 > 0 THEN 'delete' END,
                                       CASE WHEN trigger.tgtype & 32 > 0 THEN 'truncate' END) AS events,
                             called.prosrc AS definition, trigger.oid::bigint AS number, false AS is_rule,
                             trigger.tgtype & 1 > 0 AS is_for_row, trigger.tgtype & 64 > 0 AS is_instead,
                             called.oid::bigint AS function
                      FROM pg_catalog.pg_trigger AS trigger
                      JOIN pg_catalog.pg_proc AS called ON called.oid = trigger.tgfoid
                      WHERE trigger.tgrelid = relation.oid AND NOT trigger.tgisinternal AND trigger.tgparentid = 0
                        AND trigger.tgenabled IN ('O', 'A')
                        AND (called.pronamespace, called.proname)
                            IS DISTINCT FROM (pg_catalog.to_regnamespace('farewell')::oid, 'refuse_closed')
                      UNION ALL
                      SELECT rule.rulename,
                             CASE rule.ev_type WHEN '2' THEN 'update' WHEN '3' THEN 'insert' ELSE 'delete' END,
                             pg_catalog.pg_get_ruledef(rule.oid), rule.oid::bigint, true, true, rule.is_instead, NULL
                      FROM pg_catalog.pg_rewrite AS rule
                      WHERE rule.ev_class = relation.oid AND rule.ev_type IN ('2', '3', '4')
                        AND rule.ev_enabled IN ('O', 'A')) AS fires)::text,
               relation.owner, relation.extension, relation.saved
        FROM (SELECT coalesce(bool_or(rolsuper OR rolbypassrls), false) AS bypasses
              FROM pg_catalog.pg_roles WHERE rolname = current_user) AS role
        LEFT JOIN (
            SELECT class.oid, space.nspname AS space, class.relname,
                   CASE WHEN class.relispartition AND class.relkind <> 'p' THEN 'partition'
                        ELSE class.relkind::text END AS kind,
                   class.relrowsecurity, class.relforcerowsecurity, class.reltuples,
                   pg_catalog.pg_get_userbyid(class.relowner)::text AS owner,
                   member.extname::text AS extension,
                   CASE WHEN class.oid = ANY (member.extconfig) THEN 'saved' END AS saved,
                   concat_ws(' ',
                       CASE WHEN NOT pg_catalog.has_schema_privilege(space.oid, 'USAGE') THEN 'usage' END,
                       CASE WHEN NOT pg_catalog.has_table_privilege(class.oid, 'SELECT') THEN 'select' END,
                       CASE WHEN class.relkind <> 'm' AND NOT pg_catalog.has_table_privilege(class.oid, 'UPDATE')
                            THEN 'update' END,
                       CASE WHEN class.relkind <> 'm' AND NOT pg_catalog.has_table_privilege(class.oid, 'DELETE')
                            THEN 'delete' END) AS missing
            FROM pg_catalog.pg_class AS class
            JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
            LEFT JOIN pg_catalog.pg_depend AS depends
                ON depends.classid = 'pg_catalog.pg_class'::regclass AND depends.objid = class.oid
                AND depends.refclassid = 'pg_catalog.pg_extension'::regclass AND depends.deptype = 'e'
            LEFT JOIN pg_catalog.pg_extension AS member ON member.oid = depends.refobjid
            WHERE class.relkind IN ('r', 'p', 'f', 'm')
              AND space.nspname NOT LIKE 'pg\\_%' AND space.nspname NOT IN ('information_schema', 'farewell')
        ) AS relation ON true
        """

    /// One row for each table, its columns as a list. A domain counts as what it is made over, however deep.
    static let columns = """
        WITH RECURSIVE resolved (type, base, modifier, refuses_null) AS (
            SELECT oid, oid, -1, false FROM pg_catalog.pg_type WHERE typtype <> 'd'
            UNION ALL
            SELECT domain.oid, resolved.base, greatest(resolved.modifier, domain.typtypmod),
                   domain.typnotnull OR resolved.refuses_null
            FROM resolved
            JOIN pg_catalog.pg_type AS domain ON domain.typbasetype = resolved.type AND domain.typtype = 'd'
        )
        SELECT class.oid::bigint,
               json_agg(json_build_array(
                   attribute.attname, pg_catalog.format_type(attribute.atttypid, attribute.atttypmod),
                   base.typname, base.typtype, base.typcategory, attribute.attnotnull OR resolved.refuses_null,
                   attribute.attgenerated <> '' OR attribute.attidentity = 'a',
                   pg_catalog.pg_get_expr(standard.adbin, standard.adrelid),
                   greatest(attribute.atttypmod, resolved.modifier),
                   CASE WHEN base.typtype = 'e' THEN
                       (SELECT json_agg(label.enumlabel ORDER BY label.enumsortorder)
                        FROM pg_catalog.pg_enum AS label WHERE label.enumtypid = base.oid) END,
                   CASE WHEN base.typname = 'citext' THEN 'citext' ELSE
                       (SELECT loose.collname FROM pg_catalog.pg_collation AS loose
                        WHERE loose.oid = attribute.attcollation AND NOT loose.collisdeterministic) END,
                   CASE WHEN base.typcategory = 'A' THEN
                       (SELECT element.typname FROM resolved AS part
                        JOIN pg_catalog.pg_type AS element ON element.oid = part.base
                        WHERE part.type = base.typelem) END,
                   (SELECT loosespace.nspname FROM pg_catalog.pg_collation AS loose
                    JOIN pg_catalog.pg_namespace AS loosespace ON loosespace.oid = loose.collnamespace
                    WHERE loose.oid = attribute.attcollation AND NOT loose.collisdeterministic),
                   (SELECT pg_catalog.format('%I.%I', textspace.nspname, own.collname)
                    FROM pg_catalog.pg_collation AS own
                    JOIN pg_catalog.pg_namespace AS textspace ON textspace.oid = own.collnamespace
                    WHERE own.oid = attribute.attcollation AND own.collname <> 'default'))
                   ORDER BY attribute.attnum)::text
        FROM pg_catalog.pg_class AS class
        JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
        JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
        JOIN resolved ON resolved.type = attribute.atttypid
        JOIN pg_catalog.pg_type AS base ON base.oid = resolved.base
        LEFT JOIN pg_catalog.pg_attrdef AS standard
            ON standard.adrelid = attribute.attrelid AND standard.adnum = attribute.attnum
        WHERE class.relkind IN ('r', 'p', 'f', 'm')
          AND space.nspname NOT LIKE 'pg\\_%' AND space.nspname NOT IN ('information_schema', 'farewell')
          AND attribute.attnum > 0 AND NOT attribute.attisdropped
        GROUP BY class.oid
        """

    /// The columns of an index, in order; an expression has an empty name.
    static let columnsOfIndex = """
        (SELECT json_agg(coalesce(attribute.attname, '') ORDER BY part.place)
         FROM unnest(index.indkey::int2[]) WITH ORDINALITY AS part (number, place)
         LEFT JOIN pg_catalog.pg_attribute AS attribute
             ON attribute.attrelid = index.indrelid AND attribute.attnum = part.number
         WHERE part.place <= index.indnkeyatts)
        """

    /// One row for each table with foreign keys and one for each table with indexes.
    ///
    /// A key of a partitioned table is listed once, without the copies on each partition. Servers older than PostgreSQL
    /// 15 have no column for nulls that are equal.
    static let keys = """
        SELECT key.conrelid::bigint, 'foreign key',
               json_agg(json_build_array(
                   key.conname,
                   (SELECT json_agg(attribute.attname ORDER BY part.place)
                    FROM unnest(key.conkey) WITH ORDINALITY AS part (number, place)
                    JOIN pg_catalog.pg_attribute AS attribute
                        ON attribute.attrelid = key.conrelid AND attribute.attnum = part.number),
                   space.nspname, target.relname,
                   (SELECT json_agg(attribute.attname ORDER BY part.place)
                    FROM unnest(key.confkey) WITH ORDINALITY AS part (number, place)
                    JOIN pg_catalog.pg_attribute AS attribute
                        ON attribute.attrelid = key.confrelid AND attribute.attnum = part.number),
                   key.confdeltype, key.condeferrable,
                   key.convalidated AND NOT EXISTS (
                       SELECT 1 FROM pg_catalog.pg_trigger AS guard
                       WHERE guard.tgconstraint = key.oid AND guard.tgenabled NOT IN ('O', 'A')),
                   EXISTS (
                       SELECT 1 FROM pg_catalog.pg_trigger AS guard
                       WHERE guard.tgconstraint = key.oid AND guard.tgenabled NOT IN ('O', 'A')))
                   ORDER BY key.conname)::text
        FROM pg_catalog.pg_constraint AS key
        JOIN pg_catalog.pg_class AS target ON target.oid = key.confrelid
        JOIN pg_catalog.pg_namespace AS space ON space.oid = target.relnamespace
        WHERE key.contype = 'f' AND key.conparentid = 0
        GROUP BY key.conrelid
        UNION ALL
        SELECT index.indrelid::bigint, 'index',
               json_agg(json_build_array(
                   class.relname,
                   \(columnsOfIndex),
                   index.indisunique,
                   index.indpred IS NOT NULL AND pg_catalog.pg_get_expr(index.indpred, index.indrelid) IS DISTINCT FROM
                       (SELECT format('(%I IS NOT NULL)', attribute.attname) FROM pg_catalog.pg_attribute AS attribute
                        WHERE attribute.attrelid = index.indrelid AND attribute.attnum = index.indkey[0]),
                   method.amname,
                   index.indisunique AND coalesce((to_jsonb(index) ->> 'indnullsnotdistinct')::boolean, false),
                   index.indisprimary, index.indpred IS NOT NULL,
                   CASE WHEN index.indkey[0] = 0 THEN pg_catalog.pg_get_indexdef(index.indexrelid, 1, false) END,
                   (SELECT written.collname FROM pg_catalog.pg_collation AS written
                    LEFT JOIN pg_catalog.pg_attribute AS attribute
                      ON attribute.attrelid = index.indrelid AND attribute.attnum = index.indkey[0]
                    WHERE written.oid = index.indcollation[0]
                      AND CASE WHEN attribute.attnum IS NULL THEN written.collname <> 'default'
                               ELSE written.oid <> attribute.attcollation END)) ORDER BY class.relname)::text
        FROM pg_catalog.pg_index AS index
        JOIN pg_catalog.pg_class AS class ON class.oid = index.indexrelid
        JOIN pg_catalog.pg_am AS method ON method.oid = class.relam
        JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
        WHERE index.indisvalid
          AND space.nspname NOT LIKE 'pg\\_%' AND space.nspname NOT IN ('information_schema', 'farewell')
        GROUP BY index.indrelid
        """
}
