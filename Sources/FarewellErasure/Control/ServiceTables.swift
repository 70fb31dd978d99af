// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// The second version of the control store: the tables of a service that accepts requests and lets workers do them
/// later.
///
/// Only `keepsakes` holds personal data, sealed under the run's own key, until the second look and the last event are
/// over. Everything else is hashes, states and times.
struct ServiceTables {
    let dialect: SQLDialect

    var statements: [String] {
        [
            requests, tickets, holds, stepUps, fences, fenceSalt, keepsakes, events, deliveries, received, readyIndex,
            untoldIndex, ticketIndex, deliveryIndex, fenceIndex, salt,
        ]
    }

    private func table(_ name: String) -> String { ControlTables.name(name, dialect) }
    private func index(_ name: String) -> String { dialect.ownIndex(name, in: "farewell") }
    private var id: String { dialect.uuidType }
    private var time: String { dialect.timeType }
    private var bytes: String { dialect.bytesType }
    private var serial: String {
        dialect.hasIdentityColumns
            ? "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY" : "integer PRIMARY KEY AUTOINCREMENT"
    }
    private var anErasure: String { "\(id) NOT NULL REFERENCES \(table("erasures")) (id) ON DELETE CASCADE" }

    /// `ready_at` is when a worker may take it up: now, the end of grace, or after a pause; null while one has it.
    private var requests: String {
        """
        CREATE TABLE \(table("requests")) (
            erasure \(anErasure) PRIMARY KEY,
            ready_at \(time),
            grace_until \(time),
            due_at \(time) NOT NULL,
            warned_at \(time),
            failures integer NOT NULL DEFAULT 0,
            told text
        )
        """
    }

    private var readyIndex: String {
        "CREATE INDEX \(index("requests_ready")) ON \(table("requests")) (ready_at) WHERE ready_at IS NOT NULL"
    }

    private var untoldIndex: String {
        "CREATE INDEX \(index("requests_untold")) ON \(table("requests")) (erasure) WHERE told IS NULL"
    }

    /// A ticket lets its holder read the state of an erasure. Beside it the idempotency key for which it was issued.
    private var tickets: String {
        """
        CREATE TABLE \(table("tickets")) (
            hash text PRIMARY KEY,
            erasure \(anErasure),
            key_hash text UNIQUE,
            body_hash text
        )
        """
    }

    private var ticketIndex: String { "CREATE INDEX \(index("tickets_erasure")) ON \(table("tickets")) (erasure)" }

    private var holds: String {
        """
        CREATE TABLE \(table("holds")) (
            erasure \(anErasure) PRIMARY KEY,
            reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
            since \(time) NOT NULL
        )
        """
    }

    private var stepUps: String {
        """
        CREATE TABLE \(table("step_ups")) (
            hash text PRIMARY KEY,
            subject_hash text NOT NULL,
            action text NOT NULL,
            expires_at \(time) NOT NULL
        )
        """
    }

    /// The subjects for whom writes are refused. `mark` is the salted hash of the subject's key; the row is deleted at
    /// the erasure's end.
    private var fences: String {
        """
        CREATE TABLE \(table("fences")) (
            mark text PRIMARY KEY,
            erasure \(anErasure),
            epoch bigint NOT NULL,
            closed_at \(time) NOT NULL
        )
        """
    }

    private var fenceIndex: String { "CREATE INDEX \(index("fences_erasure")) ON \(table("fences")) (erasure)" }

    private var fenceSalt: String {
        "CREATE TABLE \(table("fence_salt")) (only_row integer PRIMARY KEY CHECK (only_row = 1), salt text NOT NULL)"
    }

    private var salt: String {
        "INSERT INTO \(table("fence_salt")) (only_row, salt) VALUES (1, \(dialect.randomText))"
    }

    private var keepsakes: String {
        """
        CREATE TABLE \(table("keepsakes")) (
            erasure \(anErasure) PRIMARY KEY,
            wrapped_key \(bytes) NOT NULL,
            sealed \(bytes) NOT NULL,
            look_at \(time),
            keep_until \(time) NOT NULL
        )
        """
    }

    private var events: String {
        """
        CREATE TABLE \(table("events")) (
            id \(serial),
            erasure \(anErasure),
            kind text NOT NULL,
            happened_at \(time) NOT NULL,
            UNIQUE (erasure, kind)
        )
        """
    }

    private var deliveries: String {
        """
        CREATE TABLE \(table("deliveries")) (
            event bigint NOT NULL REFERENCES \(table("events")) (id) ON DELETE CASCADE,
            endpoint text NOT NULL,
            state text NOT NULL CHECK (state IN ('waiting', 'delivered', 'dead')),
            attempts integer NOT NULL DEFAULT 0,
            next_at \(time),
            error text,
            PRIMARY KEY (event, endpoint),
            CHECK ((state = 'waiting') = (next_at IS NOT NULL))
        )
        """
    }

    private var deliveryIndex: String {
        "CREATE INDEX \(index("deliveries_next")) ON \(table("deliveries")) (next_at) WHERE state = 'waiting'"
    }

    /// Identifiers of processed incoming events: each counts once.
    private var received: String {
        """
        CREATE TABLE \(table("received")) (
            issuer text NOT NULL,
            identifier text NOT NULL,
            received_at \(time) NOT NULL,
            PRIMARY KEY (issuer, identifier)
        )
        """
    }
}
