// SPDX-License-Identifier: Apache-2.0
import Farewell

extension PostgreSQLConfiguration {
    /// One statement that sets the session up as `PostgreSQLText` requires, unless a pooler is in between: then another
    /// server process answers than the one that the connection was given. Its first column shows whether the session is
    /// ours alone. A pooler's session stays unchanged.
    ///
    /// - Parameter process: The server process that the connection was given.
    func sessionSettings(process: Int64) -> SQLStatement {
        var parameters: [SQLValue] = []
        // Where the address or a setting says that there is no pooler, nothing is compared.
        var isOwn = "true"
        if pooled != false {
            isOwn = "pg_catalog.pg_backend_pid() = $1"
            parameters.append(.integer(process))
        }
        let (calls, values) = settingCalls(isLocal: false, from: parameters.count + 1)
        let own = calls.map { "CASE WHEN session.own THEN \($0) END" }
        let text =
            "SELECT session.own, " + own.joined(separator: ", ") + " FROM (SELECT \(isOwn) AS own) AS session"
        return SQLStatement(text, parameters + values)
    }

    /// One statement that brings a transaction into that state, until it ends.
    var transactionSettings: SQLStatement {
        let (calls, values) = settingCalls(isLocal: true, from: 1)
        return SQLStatement("SELECT " + calls.joined(separator: ", "), values)
    }

    /// A prepared statement is planned once and not again for every value: otherwise a list of keys would be planned at
    /// each use. JIT compilation is off: it happens again at every execution and takes longer than our statements. Keys
    /// and triggers are active in all our sessions, and a commit is answered once it is on disk.
    ///
    /// A single statement of an own session reads what is committed. In a pooler's session the isolation of a
    /// transaction that has begun can no longer be chosen; `BEGIN` chooses it.
    private func settingCalls(isLocal: Bool, from first: Int) -> (calls: [String], values: [SQLValue]) {
        var settings = [
            ("timezone", "UTC"), ("datestyle", "ISO, MDY"), ("intervalstyle", "postgres"),
            ("bytea_output", "hex"), ("extra_float_digits", "1"), ("jit", "off"), ("array_nulls", "on"),
            ("standard_conforming_strings", "on"),
        ]
        let limits = [
            ("lock_timeout", lockTimeout), ("idle_in_transaction_session_timeout", idleInTransactionTimeout),
        ]
        for (name, limit) in limits {
            if let limit { settings.append((name, "\(Self.milliseconds(limit))ms")) }
        }
        // A role or a database may have replica as its default. Setting it requires a right, so it is set only if
        // necessary.
        let origin =
            "CASE current_setting('session_replication_role') WHEN 'replica' "
            + "THEN set_config('session_replication_role', 'origin', \(isLocal)) END"
        let calls = settings.indices.map { "set_config($\($0 * 2 + first), $\($0 * 2 + first + 1), \(isLocal))" }
        // Where it is off, a crash of the server loses what was promised. A stronger default stays.
        let durable =
            "CASE current_setting('synchronous_commit') WHEN 'off' "
            + "THEN set_config('synchronous_commit', 'on', \(isLocal)) END"
        // A statement without a name is planned each time in any case: better for its values.
        let plans =
            isLocal
            ? []
            : [
                "set_config('plan_cache_mode', \(CitusSession.planCacheMode), false)",
                "set_config('default_transaction_isolation', 'read committed', false)",
            ]
        // A shorter limit of the role or database stays.
        let longest = statementTimeout.map { limit in
            let most = Self.milliseconds(limit)
            return "CASE WHEN current_setting('statement_timeout')::interval NOT BETWEEN '1 ms' AND '\(most) ms' "
                + "THEN set_config('statement_timeout', '\(most)ms', \(isLocal)) END"
        }
        let path = AppSearchPath.setting(isLocal: isLocal)
        let all =
            calls + plans + [origin, durable, longest, path].compactMap(\.self)
            + CitusSession.settings(isLocal: isLocal)
        return (all + idleness(isLocal: isLocal), settings.flatMap { [.text($0.0), .text($0.1)] })
    }

    /// A connection idles in the pool, and between the statements of a transaction its program computes: the short
    /// limits of a role or database for idle sessions would end both. A session's own limit is that of the pool.
    private func idleness(isLocal: Bool) -> [String] {
        var calls: [String] = []
        if idleInTransactionTimeout == nil {
            let (name, least) = ("idle_in_transaction_session_timeout", Self.leastIdleness)
            calls.append(
                "CASE WHEN current_setting('\(name)')::interval BETWEEN '1 ms' AND '\(least) ms' "
                    + "THEN set_config('\(name)', '\(least)ms', \(isLocal)) END")
        }
        // Since PostgreSQL 14.
        let isLimited = "current_setting('idle_session_timeout', true) <> '0'"
        if !isLocal { calls.append("CASE WHEN \(isLimited) THEN set_config('idle_session_timeout', '0', false) END") }
        return calls
    }

    /// In milliseconds.
    private static let leastIdleness = 30_000

    private static func milliseconds(_ limit: Duration) -> Int { Int((limit / .milliseconds(1)).rounded(.up)) }
}
