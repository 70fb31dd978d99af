// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier

extension RESTCaller {
    static func supabase(
        _ settings: SystemSettings, budget: RateBudget, world: ConnectorWorld, responses: ResponseTable,
        reading: @escaping @Sendable (SystemReply) -> ErrorWords
    ) throws -> RESTCaller {
        let secrets = SystemSecrets(settings.system, world: world)
        let address = try SystemAddress(try settings.required("endpoint"), system: settings.system.name)
        return RESTCaller(
            settings.system.name, at: address, budget: budget, world: world, responses: responses, reading: reading
        ) {
            let key = try secrets.required("key")
            // A key in the newer form is not a token: the gateway accepts it only in `apikey`.
            return ProjectKey.isOpaque(key) ? [("apikey", key)] : [("Authorization", "Bearer \(key)"), ("apikey", key)]
        }
    }
}
