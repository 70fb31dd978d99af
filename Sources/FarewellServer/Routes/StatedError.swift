// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes

/// An error whose status is another one here than in the table.
struct StatedError: Error {
    let status: HTTPResponse.Status
    let error: FarewellError

    init(_ status: HTTPResponse.Status, _ error: FarewellError) {
        self.status = status
        self.error = error
    }
}
