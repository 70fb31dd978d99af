// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension RouteCall {
    /// The credentials of this call. Its path, query and body do not count.
    var credentials: ErasureCredentials {
        ErasureCredentials(token: Result { try bearerToken() }, stepUp: headers[.stepUp])
    }
}
