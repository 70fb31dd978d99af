// SPDX-License-Identifier: Apache-2.0

import Farewell

extension RESTCaller {
    /// A call that begins something, once for its key.
    ///
    /// Stripe repeats the answer to a key for a day, also a refusal whose cause was removed meanwhile, and an error of
    /// its own (500). After a refusal, and after a repeated error, the erasure therefore begins anew: with other keys.
    ///
    /// https://docs.stripe.com/api/idempotent_requests
    func beginning(_ path: String, _ body: Body, key: String, permission: String) async throws -> RawJSON {
        do {
            return try await object("POST", path, body, key: key, permission: permission)
        } catch let fault as ConnectorFault where fault.isRefusal || fault.isRepeated {
            throw fault.anew
        }
    }
}
