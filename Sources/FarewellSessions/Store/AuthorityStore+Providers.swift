// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

extension AuthorityStore {
    /// The user with this name at a provider: `(user_id)`.
    func person(at provider: String, named name: String) -> SQLStatement {
        SQLStatement(
            "SELECT user_id FROM \(identities) WHERE provider = $1 AND provider_id = $2 ORDER BY user_id LIMIT 1",
            [.text(provider), .text(name)])
    }
}
