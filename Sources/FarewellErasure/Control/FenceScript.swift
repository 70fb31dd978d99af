// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// The output of `farewell fence --sql`: a trigger for PostgreSQL that refuses writes for a subject under erasure.
///
/// A writer takes a shared lock on the subject until its transaction ends and then checks for a fence. The eraser puts
/// the fence up, then waits for that lock. So a write is either refused or committed before the rows are read.
public struct FenceScript: Sendable {
    /// The seed of the lock's number: any, as long as trigger and eraser use the same.
    static let lockSeed = 4_812_662_106

    let plan: Plan

    public init(plan: Plan) { self.plan = plan }

    /// Whether there is a trigger: on PostgreSQL, where the tables of a plan have schemas.
    ///
    /// On SQLite a fence's mark needs a hash function that only our connections have. A trigger that calls it would
    /// break every write of every other program; so there is none, and no write is refused.
    public var hasTrigger: Bool { plan.subject.table.schema != nil }

    /// The columns that hold the subject's key, through which rows are written for a subject. Not those of the session
    /// authority: until everything else is erased a user can sign in and try again, and the end of their sessions must
    /// be written after the fence is up. Not those of vendors either: a trigger on a vendor's table would block the
    /// vendor's own migrations, and only the vendor's role could remove it.
    public var places: [ColumnName] {
        let root = plan.subject
        let carriers = keyCarriers
        let own = plan.tables.filter { !AuthorityTableName.isOne($0.table) && !plan.isOfVendor($0.table) }
        let links = own.flatMap { table in
            table.links.filter { link in
                link.path.isEmpty && carriers.contains(Columns(link.target, link.targetColumns))
            }.flatMap { link in
                link.columns.map { ColumnName(table.table, $0) }
            }
        }
        return Array(Set(links).subtracting([ColumnName(root.table, root.key)])).sorted {
            "\($0)" < "\($1)"
        }
    }

    /// The script, for PostgreSQL. Running it again replaces the existing fence.
    public var text: String {
        let dialect = SQLDialect.postgresql
        var parts = [Self.requirement, Self.function, Self.placing, Self.removal]
        for (number, place) in places.enumerated() {
            let table = dialect.qualified(place.table)
            let column = Self.literal(NameSpelling.name(place.column))
            parts.append("SELECT farewell.put_up_fence(\(Self.literal(table)), \(column), \(number + 1));")
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    /// Columns of one table that a link leads to together.
    private struct Columns: Hashable {
        let table: TableName
        let names: [String]

        init(_ table: TableName, _ names: [String]) {
            self.table = table
            self.names = names
        }
    }

    /// The subject's key, and the columns that are the same key: their links lead directly to it, or to such columns.
    /// Found from the key outwards, so that a chain of ten thousand tables needs no deep recursion.
    private var keyCarriers: Set<Columns> {
        let key = Columns(plan.subject.table, [plan.subject.key])
        var followers: [Columns: [Columns]] = [:]
        for table in plan.tables where table.table != plan.subject.table {
            for link in table.links where link.path.isEmpty {
                followers[Columns(link.target, link.targetColumns), default: []].append(
                    Columns(table.table, link.columns))
            }
        }
        var found: Set = [key]
        var queue = [key]
        while let next = queue.popLast() {
            for follower in followers[next] ?? [] where found.insert(follower).inserted { queue.append(follower) }
        }
        return found
    }

    /// Puts a trigger on a table. Not on one of another owner or of an extension, whatever the plan says: its owner
    /// would have to remove the trigger before the next migration, and may lack the right. Not on one that Citus
    /// distributes: it refuses triggers there, and accepts them on the coordinator's own tables.
    private static let placing = """
        CREATE OR REPLACE FUNCTION farewell.put_up_fence(place text, named text, number integer) RETURNS void
        LANGUAGE plpgsql SET search_path = '' AS $$
        DECLARE
            owner oid := (SELECT c.relowner FROM pg_catalog.pg_class AS c WHERE c.oid = place::pg_catalog.regclass);
            is_elsewhere boolean := false;
        BEGIN
            IF pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
                EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition AS d WHERE d.logicalrelid = $1 '
                    'AND (d.partmethod <> ''n'' OR d.repmodel = ''t'' OR d.colocationid <> 0))'
                    INTO is_elsewhere USING place::pg_catalog.regclass;
            END IF;
            IF is_elsewhere THEN
                RAISE NOTICE 'no fence on %: Citus accepts no trigger on distributed and reference tables', place;
                RETURN;
            END IF;
            IF NOT pg_catalog.pg_has_role(owner, 'USAGE') OR EXISTS (
                SELECT FROM pg_catalog.pg_depend AS d
                WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
                    AND d.objid = place::pg_catalog.regclass AND d.deptype = 'e')
            THEN
                RAISE NOTICE 'no fence on %: it belongs to %', place, pg_catalog.pg_get_userbyid(owner);
                RETURN;
            END IF;
            EXECUTE pg_catalog.format(
                'CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF %I ON %s FOR EACH ROW WHEN (NEW.%2$I IS NOT NULL) '
                'EXECUTE FUNCTION farewell.refuse_closed(%4$L)',
                'farewell_fence_' || number, named, place::pg_catalog.regclass, named);
        END
        $$;
        """

    /// Removes the triggers of an earlier script, with any number and on any table, as far as this role may; those of
    /// partitions are removed with their table's.
    private static let removal = """
        DO $$
        DECLARE
            earlier record;
        BEGIN
            FOR earlier IN
                SELECT t.tgname, t.tgrelid::pg_catalog.regclass AS place,
                    pg_catalog.pg_has_role(c.relowner, 'USAGE') AS is_ours
                FROM pg_catalog.pg_trigger AS t
                JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
                WHERE t.tgfoid = 'farewell.refuse_closed()'::pg_catalog.regprocedure
                    AND t.tgname LIKE 'farewell\\_fence\\_%' AND t.tgparentid = 0
            LOOP
                IF earlier.is_ours THEN
                    EXECUTE pg_catalog.format('DROP TRIGGER %I ON %s', earlier.tgname, earlier.place);
                ELSE
                    RAISE NOTICE 'the fence on % remains: its owner has to remove it', earlier.place;
                END IF;
            END LOOP;
        END
        $$;
        """

    /// Fails before anything is created if Farewell's tables, which the functions read, do not exist.
    private static let requirement = """
        DO $$
        BEGIN
            IF pg_catalog.to_regclass('farewell.fences') IS NULL THEN
                RAISE EXCEPTION 'the tables of Farewell are not in this database yet'
                    USING HINT = 'farewell serve creates them, and so does farewell erase --resume.';
            END IF;
        END
        $$;
        """

    private static var function: String {
        """
        -- Refuses writes for a subject that is being erased. Run as the owner of these tables, after farewell created
        -- its own. Programs can ask before they write: SELECT farewell.closed_since('key') returns a number, or null.
        -- A UUID is compared in lower case, however a text column spells it.
        CREATE OR REPLACE FUNCTION farewell.subject_text(subject text) RETURNS text
        LANGUAGE sql IMMUTABLE SET search_path = '' AS $$
            SELECT CASE WHEN subject ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                THEN pg_catalog.lower(subject) ELSE subject END
        $$;

        CREATE OR REPLACE FUNCTION farewell.closed_since(subject text) RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
            SELECT f.epoch FROM farewell.fences AS f WHERE f.mark = pg_catalog.encode(pg_catalog.sha256(
                pg_catalog.convert_to(
                    (SELECT s.salt FROM farewell.fence_salt AS s) || farewell.subject_text(subject), 'UTF8')), 'hex')
        $$;

        CREATE OR REPLACE FUNCTION farewell.refuse_closed() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
        DECLARE
            subject text := farewell.subject_text(pg_catalog.to_jsonb(NEW) ->> TG_ARGV[0]);
        BEGIN
            PERFORM pg_catalog.pg_advisory_xact_lock_shared(
                pg_catalog.hashtextextended(subject, \(lockSeed)));
            IF farewell.closed_since(subject) IS NOT NULL THEN
                RAISE EXCEPTION 'the account is being erased' USING ERRCODE = '\(FenceRefusal.state)';
            END IF;
            RETURN NEW;
        END
        $$;
        """
    }
}
