// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The worker nodes of a Citus cluster, as the coordinator reaches them. While one is down, erasures that need its rows
/// wait, and the coordinator itself answers.
package struct CitusNodes: Sendable, Hashable {
    /// How many there are.
    package let count: Int
    /// `host:port` of those that the coordinator cannot reach.
    package let unreachable: [String]

    /// Asks the coordinator to connect to each; `nil` if Citus is not installed, is older than 11, or does not let this
    /// role ask.
    package static func asked(on connection: any SQLConnection) async throws -> CitusNodes? {
        guard try await connection.run(mayAsk).scalar == .bool(true) else { return nil }
        let answer = try await connection.run(nodes).rows
        return CitusNodes(
            answer.map { node in
                (host: node[0].text ?? "", port: node[1].integer ?? 0, isReached: node[2] == .bool(true))
            })
    }

    package init(_ nodes: [(host: String, port: Int64, isReached: Bool)]) {
        count = nodes.count
        unreachable = nodes.filter { !$0.isReached }.map { "\(Shown.line($0.host, limit: 120)):\($0.port)" }
    }

    private static let mayAsk = SQLStatement(
        """
        SELECT coalesce(has_function_privilege(
            to_regprocedure('pg_catalog.citus_check_connection_to_node(text,integer)'), 'EXECUTE'), false)
        """)

    private static let nodes = SQLStatement(
        """
        SELECT nodename::text, nodeport::bigint, pg_catalog.citus_check_connection_to_node(nodename, nodeport)
        FROM pg_catalog.pg_dist_node WHERE groupid > 0 AND noderole = 'primary' AND isactive
        ORDER BY nodename, nodeport
        """)
}
