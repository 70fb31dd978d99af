// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

extension SQLStatement {
    /// PostgreSQL: the present time of its clock, also within a transaction.
    static let clock = SQLStatement("SELECT clock_timestamp()")
}
