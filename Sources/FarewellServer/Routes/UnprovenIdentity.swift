// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The caller has not shown who they are: the token is missing or not valid.
struct UnprovenIdentity: Error {
    let error: FarewellError
}
