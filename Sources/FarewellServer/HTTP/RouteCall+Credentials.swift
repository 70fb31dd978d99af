// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension RouteCall {
    /// What this call shows. Its path, query and body count for nothing.
    var credentials: ErasureCredentials {
        ErasureCredentials(token: Result { try bearerToken() }, stepUp: headers[.stepUp])
    }
}
