// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellPlan

/// Settings of third-party systems with which no erasure would start. No system is called, and no secret is read.
enum SystemFindings {
    static func findings(_ plan: Plan) -> [Finding] {
        guard !plan.systems.isEmpty else { return [] }
        let world = ConnectorWorld.live()
        return plan.systems.compactMap { system in
            do {
                _ = try ConnectorKinds.connector(of: system, world: world)
                return nil
            } catch {
                // A program of the app's own may have a connector of that kind.
                let isKnown = ConnectorKinds.knows(system.kind)
                let fault = error as? FarewellError
                return Finding(
                    "system.settings", isKnown ? .error : .note,
                    fault?.message ?? "The settings of the system \(Shown.name(system.name)) are not usable.",
                    remedy: fault?.remedy)
            }
        }
    }
}
