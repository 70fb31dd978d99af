// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// The findings of a separate verification of a subject.
public struct SubjectVerification: Sendable, Hashable {
    /// Rows and files left in planned places, by place; rows that a rule keeps on purpose do not count.
    public var left: [String: Int]
    public var places: Int
    /// Whether planned tables hold any row of the subject, also one that a rule keeps on purpose.
    public var hasRows: Bool = true
    /// Systems that gave no answer, with why: nothing is known of them, and that is not clean.
    public var unanswered: [String: String] = [:]
    /// Folders without files of the subject that nothing shows to be the right places, with why: that is not clean.
    public var unproved: [String: String] = [:]
    /// Systems that cannot report, and folders and systems in which the subject's name is no longer known.
    public var unread: [String] = []
    /// Tables of vendors that this version's facts do not know. The subject's rows may be left there although nothing
    /// names the subject any more.
    public var unknownTables: [UnsearchedPlace] = []
    /// Materialised views that were not searched, and may keep copies of erased rows until they are refreshed.
    public var copyingViews: [UnsearchedPlace] = []
    public var deepScan: ReceiptVerification.DeepScan

    /// Whether nothing is left. Merely similar values, and places that were not searched, do not count.
    public var isClean: Bool { left.isEmpty && unanswered.isEmpty && unproved.isEmpty && deepScan.left == 0 }
}
