// SPDX-License-Identifier: Apache-2.0

extension ReceiptVerification {
    /// The search for the subject's identifiers in all columns, planned or not.
    public struct DeepScan: Sendable, Hashable {
        public var extent: Extent
        public var columns: Int
        public var rows: Int
        /// Values that hold an identifier of the subject: a whole value, or a word that identifies only the subject.
        public var left: Int
        /// The columns that hold them.
        public var leftIn: [String]
        /// Values equal to an identifier that may mean something different: a first name, or a number in a column
        /// without a relation to the subject.
        public var similar: Int
        /// The columns that hold them.
        public var similarIn: [String]
        /// Tables and columns that were not searched, or not in full.
        public var notSearched: [UnsearchedPlace]

        /// How much was searched.
        public enum Extent: String, Sendable, Hashable, Codable, CaseIterable {
            case none
            /// Not every row was read.
            case bounded
            case complete
        }

        public init(
            extent: Extent, columns: Int, rows: Int, left: Int = 0, leftIn: [String] = [], similar: Int = 0,
            similarIn: [String] = [], notSearched: [UnsearchedPlace] = []
        ) {
            self.extent = extent
            self.columns = columns
            self.rows = rows
            self.left = left
            self.leftIn = leftIn
            self.similar = similar
            self.similarIn = similarIn
            self.notSearched = notSearched
        }

        /// The same with the former names of `left` and `leftIn`.
        public init(extent: Extent, columns: Int, rows: Int, occurrences: Int, found: [String] = []) {
            self.init(extent: extent, columns: columns, rows: rows, left: occurrences, leftIn: found)
        }

        public static let none = DeepScan(extent: .none, columns: 0, rows: 0)

        /// The former name of `left`.
        public var occurrences: Int {
            get { left }
            set { left = newValue }
        }

        /// The former name of `leftIn`.
        public var found: [String] {
            get { leftIn }
            set { leftIn = newValue }
        }
    }
}

extension ReceiptVerification.DeepScan: Codable {
    /// In the order of the canonical form.
    private enum CodingKeys: String, CodingKey {
        case columns, extent, found, left, leftIn, notSearched, occurrences, rows, similar, similarIn
    }

    /// Reads receipts of earlier versions as well, which have `occurrences` and `found` only.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let isEarlier = !members.contains(.left)
        self.init(
            extent: try members.decode(Extent.self, forKey: .extent),
            columns: try members.decode(Int.self, forKey: .columns),
            rows: try members.decode(Int.self, forKey: .rows),
            left: try members.decode(Int.self, forKey: isEarlier ? .occurrences : .left),
            leftIn: try members.decode([String].self, forKey: isEarlier ? .found : .leftIn),
            similar: isEarlier ? 0 : try members.decode(Int.self, forKey: .similar),
            similarIn: isEarlier ? [] : try members.decode([String].self, forKey: .similarIn),
            notSearched: isEarlier ? [] : try members.decode([UnsearchedPlace].self, forKey: .notSearched))
    }

    /// Writes the former names beside the new ones, so that earlier versions read it.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(columns, forKey: .columns)
        try members.encode(extent, forKey: .extent)
        try members.encode(leftIn, forKey: .found)
        try members.encode(left, forKey: .left)
        try members.encode(leftIn, forKey: .leftIn)
        try members.encode(notSearched, forKey: .notSearched)
        try members.encode(left, forKey: .occurrences)
        try members.encode(rows, forKey: .rows)
        try members.encode(similar, forKey: .similar)
        try members.encode(similarIn, forKey: .similarIn)
    }
}
