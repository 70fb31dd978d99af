// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes

/// An error that is answered with another status here than the one in the table.
struct ErrorWithStatus: Error {
    let status: HTTPResponse.Status
    let error: FarewellError

    init(_ status: HTTPResponse.Status, _ error: FarewellError) {
        self.status = status
        self.error = error
    }
}
