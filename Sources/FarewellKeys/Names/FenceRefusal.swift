// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The error with which the trigger of `farewell fence --sql` refuses a write: the subject is being erased.
package enum FenceRefusal {
    /// The SQLSTATE that the trigger raises.
    package static let state = "FW001"
    /// The same as an error's code.
    package static let code = FarewellError.Code(rawValue: "sql.\(state)")
}
