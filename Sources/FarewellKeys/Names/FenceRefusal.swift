// SPDX-License-Identifier: Apache-2.0

import Farewell

/// What a database with the script of `farewell fence --sql` refuses a write with: the subject is being erased.
package enum FenceRefusal {
    /// The SQLSTATE that the trigger raises.
    package static let state = "FW001"
    /// The same as an error's code.
    package static let code = FarewellError.Code(rawValue: "sql.\(state)")
}
