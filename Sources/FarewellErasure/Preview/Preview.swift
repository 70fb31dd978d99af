// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellPlan
import FarewellSQL

/// The effects of an erasure, counted exactly, without any write.
public struct Preview: Sendable, Hashable {
    /// One place and what happens there.
    public struct Place: Sendable, Hashable {
        /// A table, or a folder or a system by its name in the plan.
        public var place: String
        public var rule: Rule
        /// Rows, files, or what a system calls its entries.
        public var count: Int
        /// For files: their size in bytes.
        public var bytes: Int?
        /// For a retention: the last day on which the rows are kept.
        public var until: CalendarDay?
        /// For a retention: whether that day is past. The rows still stay during the erasure, and the retention ends
        /// next.
        public var isOver = false
        /// For a retention: the column that it counts from, if some of the subject's rows have no date there that can
        /// be read. The period then counts from the day of the erasure.
        public var unreadStart: String?
        /// Other subjects' rows, which stay and only lose their link to the subject.
        public var isOthers = false
        /// The place's name for users, from the plan; `nil`: `place`.
        public var label: String?
        /// That name by language.
        public var labels: [String: String] = [:]
    }

    public var places: [Place]
    public var blockers: [Blocker]
    /// Systems of the plan that cannot be counted, or did not answer.
    public var uncounted: [String] = []
    /// By folder of the plan, the number of file names in the subject's rows without exactly one file there.
    public var unresolved: [String: Int] = [:]
    /// Folders and systems of the plan in which the subject's names are unknown, because the rows that held them are
    /// gone: data there would stay.
    public var unnamed: [String] = []
    /// By system of the plan, the number of the subject's names there that also belong to other subjects: data under
    /// them stays, and is not counted.
    public var shared: [String: Int] = [:]
    /// Systems at which an erasure would stop, with the cause: they gave no answer, or refuse.
    public var unreachable: [Unreachable] = []

    /// Tables and columns that a search for the subject's identifiers (`--deep`) could not read, or not in full.
    public var notSearched: [UnsearchedPlace] = []
    /// Tables of vendors that this version's facts do not know: an erasure would not search them, and rows of the
    /// subject may stay there.
    public var unknownTables: [UnsearchedPlace] = []
    /// Materialised views that may keep copies of erased rows until they are refreshed: only a search for the subject's
    /// identifiers (`--deep`) reads them.
    public var copyingViews: [UnsearchedPlace] = []

    /// A system that gave no answer, or refuses.
    public struct Unreachable: Sendable, Hashable, Codable {
        public var system: String
        public var message: String
        public var remedy: String?
    }

    /// For a subject without any data.
    package static let nothing = Preview(places: [], blockers: [])

    public var erased: Int { places.filter { $0.rule.erasesRows }.map(\.count).reduce(0, +) }
    public var kept: Int { places.filter { !$0.rule.erasesRows }.map(\.count).reduce(0, +) }
}
