// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// The erased subjects that a restored back-up has brought back.
public struct ReturnedSubjects: Sendable, Hashable {
    /// Keys of erased subjects that are back.
    public var certain: [String]
    /// Erased keys on rows that may be a new user's. Their identifiers differ: the key was given to another subject, or
    /// the subject changed them after the back-up. Or they are the same, the key can be given again, and the database
    /// records the erasure: the subject signed up again, or the rows alone were restored. An operator decides.
    public var doubtful: [String]
    /// Keys of present subjects whose erasure was begun, without proof that it was committed: a process died before
    /// that, or the later records were lost. An operator decides.
    public var unconfirmed: [String] = []
    /// How many subjects were looked at.
    public var examined: Int
    /// The number of committed erasures in the ledger: only these subjects can be recognised.
    public var known = 0
}
