// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellPlan

/// Findings about unusable settings of third-party systems, which would stop every erasure at its start. Calls no
/// system and reads no secret.
enum SystemFindings {
    static func findings(_ plan: Plan) -> [Finding] {
        guard !plan.systems.isEmpty else { return [] }
        let world = ConnectorWorld.live()
        return plan.systems.compactMap { system in
            do {
                _ = try ConnectorKinds.connector(of: system, world: world)
                return nil
            } catch {
                // An unknown kind is only noted: the app's own program may contain its connector.
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
