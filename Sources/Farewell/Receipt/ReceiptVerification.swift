// SPDX-License-Identifier: Apache-2.0

/// How an erasure was checked, and what the checks found.
public struct ReceiptVerification: Sendable, Hashable, Codable {
    public var readBack: ReadBack
    public var deepScan: DeepScan
    public var residue: Residue

    private enum CodingKeys: String, CodingKey { case deepScan, readBack, residue }

    public init(readBack: ReadBack, deepScan: DeepScan = .none, residue: Residue = .notApplicable) {
        self.readBack = readBack
        self.deepScan = deepScan
        self.residue = residue
    }

    /// Whether no check found anything that should be gone.
    public var foundNothing: Bool {
        readBack.rowsLeft == 0 && deepScan.occurrences == 0 && residue.occurrences == 0
    }

    /// The planned places, read again by another way than the one that erased them.
    public struct ReadBack: Sendable, Hashable, Codable {
        public var places: Int
        /// Rows and files that should be gone and are not.
        public var rowsLeft: Int

        public init(places: Int, rowsLeft: Int) {
            self.places = places
            self.rowsLeft = rowsLeft
        }
    }

    /// The search for the person's identifiers in columns the plan does not name.
    public struct DeepScan: Sendable, Hashable, Codable {
        public var extent: Extent
        public var columns: Int
        public var rows: Int
        /// Values in which an identifier was found.
        public var occurrences: Int
        /// The columns in which one was found.
        public var found: [String]

        /// How much was searched.
        public enum Extent: String, Sendable, Hashable, Codable, CaseIterable {
            case none
            /// It stopped at a limit.
            case bounded
            case complete
        }

        private enum CodingKeys: String, CodingKey { case columns, extent, found, occurrences, rows }

        public init(extent: Extent, columns: Int, rows: Int, occurrences: Int, found: [String] = []) {
            self.extent = extent
            self.columns = columns
            self.rows = rows
            self.occurrences = occurrences
            self.found = found
        }

        public static let none = DeepScan(extent: .none, columns: 0, rows: 0, occurrences: 0)
    }

    /// Erased bytes that a database may leave in its own files.
    public struct Residue: Sendable, Hashable, Codable {
        public var state: State
        public var files: Int
        public var bytes: Int
        /// Places in those files where an identifier was still found.
        public var occurrences: Int

        /// What was done about such bytes.
        public enum State: String, Sendable, Hashable, Codable, CaseIterable {
            /// The database's files cannot be read from here.
            case notApplicable = "not-applicable"
            /// Free space was overwritten, and every byte of the files then searched.
            case scrubbedAndScanned = "scrubbed-and-scanned"
            /// Free space was overwritten; the files were not searched.
            case scrubbed
        }

        private enum CodingKeys: String, CodingKey { case bytes, files, occurrences, state }

        public init(state: State, files: Int = 0, bytes: Int = 0, occurrences: Int = 0) {
            self.state = state
            self.files = files
            self.bytes = bytes
            self.occurrences = occurrences
        }

        public static let notApplicable = Residue(state: .notApplicable)
    }
}
