// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// Who of the erased has come back with a restored back-up.
public struct Returned: Sendable, Hashable {
    /// Keys of people who were erased and are there again.
    public var certain: [String]
    /// Keys that were erased, on rows whose identifiers differ: the key was given to somebody else, or the
    /// person changed them after the back-up. Somebody has to decide.
    public var doubtful: [String]
    /// Keys of people who are there and whose erasure was begun, of which nothing shows that it was ever committed: a
    /// process died before that, or what followed was lost. Somebody has to decide.
    public var unconfirmed: [String] = []
    /// How many subjects were looked at.
    public var examined: Int
    /// How many committed erasures the ledger knows of: of no others can it be told who has come back.
    public var known = 0
}
