// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The settings of a session where Citus is installed, and the servers of a cluster on which Farewell works.
///
/// Source: docs.citusdata.com, "Citus SQL reference" and "Configuration reference" (Citus 11 to 13).
enum CitusSession {
    /// An expression for `plan_cache_mode`. A generic plan names no shard, so Citus refuses it for every statement that
    /// changes rows, and for most queries.
    static let planCacheMode = "CASE WHEN \(CitusCatalog.isThere) THEN 'auto' ELSE 'force_generic_plan' END"

    /// Settings of Citus, as expressions without effect if it is not installed.
    ///
    /// They limit a transaction to one connection for each worker node: after changing a distributed table over several
    /// connections, it could no longer change a reference table. They also keep Farewell's own tables on the
    /// coordinator, so that there is one place for locks, notifications and the clock.
    ///
    /// - Parameter isLocal: Whether they end with the transaction, which suits poolers.
    static func settings(isLocal: Bool) -> [String] {
        [
            ("citus.multi_shard_modify_mode", "sequential"), ("citus.enable_schema_based_sharding", "off"),
            ("citus.enable_ddl_propagation", "off"), ("citus.use_citus_managed_tables", "off"),
        ].map { name, value in
            "CASE WHEN \(CitusCatalog.isThere) AND current_setting('\(name)', true) IS NOT NULL "
                + "THEN set_config('\(name)', '\(value)', \(isLocal)) END"
        }
    }

    /// Refuses a worker node: the control store is on the coordinator, which does not learn of a worker node's commits.
    ///
    /// - Throws: `sql.citus-worker` with the coordinator's address.
    static func requireCoordinator(on connection: some SQLConnection) async throws {
        guard try await connection.run("SELECT \(CitusCatalog.isThere)").scalar == .bool(true) else { return }
        guard let node = try await connection.run(coordinator).rows.first, let group = node.first?.integer, group != 0
        else { return }
        throw worker(coordinator: node.count == 3 ? node[1].text.map { ($0, node[2].integer ?? 5432) } : nil)
    }

    /// `(group of this server, host and port of the coordinator)`; the coordinator's own group is 0.
    private static let coordinator = SQLStatement(
        """
        SELECT own.groupid::bigint, node.nodename::text, node.nodeport::bigint
        FROM pg_catalog.pg_dist_local_group AS own
        LEFT JOIN pg_catalog.pg_dist_node AS node ON node.groupid = 0 AND node.noderole = 'primary'
        """)

    /// - Parameter coordinator: As the cluster knows it; `nil` if this worker node does not know.
    static func worker(coordinator: (host: String, port: Int64)?) -> FarewellError {
        let place = coordinator.map { "\(Shown.line($0.host, limit: 120)):\($0.port)" }
        return FarewellError(
            "sql.citus-worker", .yoursToFix,
            "This server is a worker node of a Citus cluster. Plan, erasures and receipts are on the coordinator "
                + "only.",
            remedy: place.map { "Use the coordinator's address instead; on this node it is \($0)." }
                ?? "Use the coordinator's address instead.")
    }
}
