// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors

/// The third-party systems of a plan.
enum PlanSystems {
    /// Connectors to them, over the network.
    @Sendable static func connecting(_ plan: Plan) throws -> [String: any Connector] {
        try ConnectorKinds.connectors(of: plan, world: .live())
    }
}
