// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

extension SQLStatement {
    /// PostgreSQL: what its clock says now, also within a transaction.
    static let clock = SQLStatement("SELECT clock_timestamp()")
}
