// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// The control store's tables, as append-only migrations: `farewell.erasures` on PostgreSQL,
/// `farewell_erasures` on SQLite.
///
/// They are in the database whose rows are erased, so that a step's effect and its record commit together.
struct ControlMigrations {
    let dialect: SQLDialect

    /// All migrations in order; a migration, once published, never changes.
    var all: [(version: Int, statements: [String])] {
        [
            (1, first), (2, second), (3, ServiceTables(dialect: dialect).statements), (4, retentions),
            (5, roomForReceipts), (6, news), (7, indexesOfWhatEnded), (8, addressing), (9, occasions),
            (10, revocationReaders), (11, installation), (12, causeCodes), (13, loadedPlans), (14, searches),
            (15, stops), (16, indexOfWhatIsHeld),
        ]
    }

    func table(_ name: String) -> String { ControlTables.name(name, dialect) }

    /// Brings the tables to this binary's version; refuses those that a newer binary has made, and those that this
    /// role may not write to.
    func apply(on connection: any SQLConnection, now: SQLValue) async throws {
        if dialect.hasSchemas {
            try await SQLMigrations.makeSchema("farewell", turn: 7_310_869_281_904_018, on: connection)
        }
        let found = try await steps.begin(on: connection)
        let foreign = ForeignTables(dialect: dialect)
        if dialect.hasSchemas || found == 0, let table = try await foreign.found(on: connection).first {
            throw foreign.refusal(of: table)
        }
        try await steps.apply(after: found, on: connection, now: now)
        if dialect.hasRights, let rights = try await ControlRights.lacking(on: connection) {
            throw FarewellError("control.right-missing", .yoursToFix, rights.message, remedy: rights.remedy)
        }
    }

    /// Refuses a control store that a newer binary has made; one that is not there yet is fine. Makes nothing.
    func refuseNewer(on connection: any SQLConnection) async throws {
        let query = SQLStatement(dialect.ownTableCount("'migrations'", in: "farewell"))
        guard try await connection.run(query).scalar?.integer != 0 else { return }
        _ = try await steps.version(on: connection)
    }

    /// SQLite: refuses another's table that has a name of the control store, where that has not been made. Makes
    /// nothing.
    func refuseForeignTables(on connection: any SQLConnection) async throws {
        let foreign = ForeignTables(dialect: dialect)
        let finding = try await foreign.finding(on: connection)
        if let table = finding?.table { throw foreign.refusal(of: table.name) }
    }

    private var steps: SQLMigrations {
        SQLMigrations(store: "control store", newer: "control.newer", table: table("migrations"), all: all)
    }

    private var time: String { dialect.timeType }
    private var id: String { dialect.uuidType }
    private var bytes: String { dialect.bytesType }
    private func index(_ name: String) -> String { dialect.ownIndex(name, in: "farewell") }

    private var states: String {
        ErasureState.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// The columns of `erasures` are in the order in which an operator wants to read them.
    private var first: [String] {
        [
            """
            CREATE TABLE \(table("erasures")) (
                id \(id) PRIMARY KEY,
                state text NOT NULL CHECK (state IN (\(states))),
                cause text,
                requested_at \(time) NOT NULL,
                finished_at \(time),
                attempts integer NOT NULL DEFAULT 1 CHECK (attempts BETWEEN 0 AND 1000),
                owner text,
                lease_until \(time),
                epoch bigint NOT NULL DEFAULT 1,
                subject_hash text NOT NULL CHECK (length(subject_hash) BETWEEN 32 AND 128),
                plan_fingerprint text NOT NULL,
                schema_fingerprint text NOT NULL,
                wrapped_key \(bytes),
                sealed \(bytes),
                receipt text,
                CHECK ((state IN ('done', 'cancelled')) = (finished_at IS NOT NULL)),
                CHECK (state NOT IN ('done', 'cancelled') OR (sealed IS NULL AND wrapped_key IS NULL)),
                CHECK ((state = 'needs attention') = (cause IS NOT NULL))
            )
            """,
            """
            CREATE UNIQUE INDEX \(index("erasures_live")) ON \(table("erasures")) (subject_hash)
            WHERE state NOT IN ('done', 'cancelled')
            """,
            """
            CREATE TABLE \(table("steps")) (
                erasure \(id) NOT NULL REFERENCES \(table("erasures")) (id) ON DELETE CASCADE,
                name text NOT NULL,
                state text NOT NULL CHECK (state IN ('running', 'done')),
                attempts integer NOT NULL DEFAULT 1 CHECK (attempts BETWEEN 0 AND 1000),
                started_at \(time) NOT NULL,
                finished_at \(time),
                counts text,
                progress text,
                PRIMARY KEY (erasure, name),
                CHECK ((state = 'done') = (finished_at IS NOT NULL))
            )
            """,
            """
            CREATE TABLE \(table("audit")) (
                sequence bigint PRIMARY KEY,
                hash text NOT NULL,
                entry text NOT NULL
            )
            """,
            """
            CREATE TABLE \(table("ledger")) (
                subject_hash text NOT NULL,
                receipt \(id) NOT NULL,
                entry text NOT NULL,
                PRIMARY KEY (subject_hash, receipt)
            )
            """,
            """
            CREATE TABLE \(table("schemas")) (
                fingerprint text PRIMARY KEY,
                snapshot text NOT NULL
            )
            """,
        ]
    }

    /// Compression does not make receipts and sealed data smaller; trying it costs time.
    private var second: [String] {
        guard dialect.hasStorageParameters else { return [] }
        return ["sealed", "receipt"].map {
            "ALTER TABLE \(table("erasures")) ALTER COLUMN \($0) SET STORAGE EXTERNAL"
        } + [SchemaStamp.makeDetails]
    }

    /// Retained rows, and the end of each retention. The identity of the rows is sealed under a key of its own, and
    /// both are destroyed when the rows are erased.
    private var retentions: [String] {
        [
            """
            CREATE TABLE \(table("retentions")) (
                erasure \(id) NOT NULL REFERENCES \(table("erasures")) (id) ON DELETE CASCADE,
                piece integer NOT NULL,
                place text NOT NULL,
                kept integer NOT NULL,
                until text NOT NULL CHECK (length(until) = 10),
                next_at \(time),
                trouble text,
                ended_at \(time),
                ended integer,
                wrapped_key \(bytes),
                sealed \(bytes),
                PRIMARY KEY (erasure, piece),
                CHECK ((ended_at IS NULL) = (sealed IS NOT NULL)),
                CHECK ((sealed IS NULL) = (wrapped_key IS NULL))
            )
            """,
            """
            CREATE INDEX \(index("retentions_until")) ON \(table("retentions")) (until) WHERE ended_at IS NULL
            """,
        ]
    }

    /// The later messages of systems about their steps: the outcome, and nothing personal.
    private var news: [String] {
        [
            """
            CREATE TABLE \(table("news")) (
                erasure \(id) NOT NULL REFERENCES \(table("erasures")) (id) ON DELETE CASCADE,
                step text NOT NULL,
                told text NOT NULL CHECK (length(told) <= 1000),
                told_at \(time) NOT NULL,
                PRIMARY KEY (erasure, step)
            )
            """
        ]
    }

    /// Finished erasures are found by their subject, as open ones are, and those with a second look by its time: the
    /// queries for one subject must not read all earlier erasures.
    private var indexesOfWhatEnded: [String] {
        [
            """
            CREATE INDEX \(index("erasures_ended")) ON \(table("erasures")) (subject_hash) \
            WHERE state IN ('done', 'cancelled')
            """,
            "CREATE INDEX \(index("keepsakes_look")) ON \(table("keepsakes")) (look_at) WHERE look_at IS NOT NULL",
        ]
    }

    /// Events are addressed once, to the endpoints of that time: a new endpoint gets no earlier events.
    private var addressing: [String] {
        [
            "ALTER TABLE \(table("events")) ADD COLUMN addressed_at \(time)",
            "UPDATE \(table("events")) SET addressed_at = happened_at WHERE EXISTS "
                + "(SELECT 1 FROM \(table("deliveries")) AS d WHERE d.event = \(table("events")).id)",
            "CREATE INDEX \(index("events_unaddressed")) ON \(table("events")) (id) WHERE addressed_at IS NULL",
        ]
    }

    /// An erasure's repeated events are sent each time: being parked under a lease number is one occasion.
    /// The event of an erasure that is parked now has its present lease number.
    private var occasions: [String] {
        let (events, deliveries, erasures) = (table("events"), table("deliveries"), table("erasures"))
        let parked = "'erasure.needs-attention'"
        if dialect.altersConstraints {
            return [
                "ALTER TABLE \(events) ADD COLUMN occasion bigint NOT NULL DEFAULT 0",
                "ALTER TABLE \(events) DROP CONSTRAINT events_erasure_kind_key",
                "ALTER TABLE \(events) ADD CONSTRAINT events_occasion_key UNIQUE (erasure, kind, occasion)",
                "UPDATE \(events) AS v SET occasion = e.epoch FROM \(erasures) AS e "
                    + "WHERE e.id = v.erasure AND v.kind = \(parked)",
            ]
        }
        // SQLite cannot change a table's constraints, so both tables are made anew. The deliveries are dropped first,
        // because they would be deleted with their events; and nothing is renamed, which an app's broken view would
        // forbid.
        return [
            """
            CREATE TEMP TABLE farewell_told AS SELECT v.id, v.erasure, v.kind, \
            CASE v.kind WHEN \(parked) THEN e.epoch ELSE 0 END AS occasion, v.happened_at, v.addressed_at \
            FROM \(events) AS v JOIN \(erasures) AS e ON e.id = v.erasure
            """,
            """
            CREATE TEMP TABLE farewell_sent AS \
            SELECT event, endpoint, state, attempts, next_at, error FROM \(deliveries)
            """,
            "DROP TABLE \(deliveries)", "DROP TABLE \(events)",
            """
            CREATE TABLE \(events) (
                id integer PRIMARY KEY AUTOINCREMENT,
                erasure text NOT NULL REFERENCES \(erasures) (id) ON DELETE CASCADE,
                kind text NOT NULL,
                occasion bigint NOT NULL DEFAULT 0,
                happened_at text NOT NULL,
                addressed_at text,
                UNIQUE (erasure, kind, occasion)
            )
            """,
            """
            CREATE TABLE \(deliveries) (
                event bigint NOT NULL REFERENCES \(events) (id) ON DELETE CASCADE,
                endpoint text NOT NULL,
                state text NOT NULL CHECK (state IN ('waiting', 'delivered', 'dead')),
                attempts integer NOT NULL DEFAULT 0,
                next_at text,
                error text,
                PRIMARY KEY (event, endpoint),
                CHECK ((state = 'waiting') = (next_at IS NOT NULL))
            )
            """,
            "INSERT INTO \(events) (id, erasure, kind, occasion, happened_at, addressed_at) "
                + "SELECT id, erasure, kind, occasion, happened_at, addressed_at FROM temp.farewell_told",
            "INSERT INTO \(deliveries) (event, endpoint, state, attempts, next_at, error) "
                + "SELECT event, endpoint, state, attempts, next_at, error FROM temp.farewell_sent",
            "DROP TABLE temp.farewell_told", "DROP TABLE temp.farewell_sent",
            "CREATE INDEX farewell_deliveries_next ON \(deliveries) (next_at) WHERE state = 'waiting'",
            "CREATE INDEX farewell_events_unaddressed ON \(events) (id) WHERE addressed_at IS NULL",
        ]
    }

    /// The progress of the receivers of ended sessions in the feed of revocations. The table is here and not beside the
    /// feed, because there every plan would have to account for one more table.
    private var revocationReaders: [String] {
        [
            """
            CREATE TABLE \(table("revocation_readers")) (
                name text PRIMARY KEY,
                feed_cursor bigint NOT NULL,
                epoch bigint NOT NULL DEFAULT 0,
                attempts integer NOT NULL DEFAULT 0,
                next_at \(time) NOT NULL
            )
            """
        ]
    }

    /// Which keys the database belongs to, and entries of the ledger that were made under keys which are lost: `keys`
    /// is null in those of today's.
    private var installation: [String] {
        [
            """
            CREATE TABLE \(table("installation")) (
                id integer PRIMARY KEY CHECK (id = 1),
                keys text NOT NULL,
                since \(time) NOT NULL
            )
            """,
            "ALTER TABLE \(table("ledger")) ADD COLUMN keys text",
        ]
    }

    /// Why an erasure is parked, for programs: the code of the error whose words the cause is.
    private var causeCodes: [String] { ["ALTER TABLE \(table("erasures")) ADD COLUMN cause_code text"] }

    /// The plans in the order in which they were first loaded, and when a process last left erasures to a later one.
    /// The plans of an earlier release are those by which erasures have ended, in the order of the last of them.
    private var loadedPlans: [String] {
        let plans = table("loaded_plans")
        return [
            """
            CREATE TABLE \(plans) (
                fingerprint text PRIMARY KEY,
                source text,
                number bigint NOT NULL,
                since \(time) NOT NULL,
                left_at \(time)
            )
            """,
            """
            INSERT INTO \(plans) (fingerprint, number, since) SELECT plan_fingerprint, \
            row_number() OVER (ORDER BY max(requested_at), plan_fingerprint), max(requested_at) \
            FROM \(table("erasures")) WHERE state = 'done' GROUP BY plan_fingerprint
            """,
        ]
    }

    /// Finds the steps that have recorded a place, among those of all erasures, and the retentions that could not end,
    /// among those of many years.
    private var searches: [String] {
        [
            "CREATE INDEX \(index("steps_placed")) ON \(table("steps")) (name) WHERE progress IS NOT NULL",
            """
            CREATE INDEX \(index("retentions_failing")) ON \(table("retentions")) (until, erasure, piece) \
            WHERE ended_at IS NULL AND trouble IS NOT NULL
            """,
        ]
    }

    /// The ends of holds, and the stops that the state directory's file has not taken yet (`is_late`): the file and the
    /// database are compared without a search of the audit log, and a process that ends loses no stop. They are
    /// compared from the mark on, at which they agreed last.
    private var stops: [String] {
        [
            """
            CREATE TABLE \(table("stops")) (
                erasure \(id) NOT NULL REFERENCES \(table("erasures")) (id) ON DELETE CASCADE,
                kind text NOT NULL CHECK (kind IN ('cancelled', 'held', 'hold-ended')),
                happened_at \(time) NOT NULL,
                is_late integer NOT NULL CHECK (is_late IN (0, 1)),
                PRIMARY KEY (erasure, kind)
            )
            """,
            "CREATE INDEX \(index("stops_late")) ON \(table("stops")) (happened_at) WHERE is_late = 1",
            "CREATE TABLE \(table("compared_stops")) (id integer PRIMARY KEY CHECK (id = 1), mark text NOT NULL)",
        ]
    }

    /// Erasures under way, among all those in their grace period: workers look for abandoned ones again and again. Only
    /// statements with this condition use the index: others would read all of it instead of one row of the table.
    private var indexOfWhatIsHeld: [String] {
        let isUnderWay = LeaseStore.isUnderWay
        return ["CREATE INDEX \(index("erasures_held")) ON \(table("erasures")) (owner) WHERE \(isUnderWay)"]
    }

    /// A row with a receipt stays in one piece: laid aside, each would cost rows of a second table and of its index.
    private var roomForReceipts: [String] {
        guard dialect.hasStorageParameters else { return [] }
        return ["ALTER TABLE \(table("erasures")) SET (toast_tuple_target = 8160)"]
    }
}
