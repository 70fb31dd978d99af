// SPDX-License-Identifier: Apache-2.0

/// The checks of an erasure, and their findings.
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

    /// Whether no check found anything left. Merely similar values, and places that were not searched, do not count.
    public var foundNothing: Bool {
        readBack.rowsLeft == 0 && deepScan.left == 0 && residue.occurrences == 0
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

    /// Erased bytes that a database may leave in its own files.
    public struct Residue: Sendable, Hashable, Codable {
        public var state: State
        public var files: Int
        public var bytes: Int
        /// Places in those files where an identifier is left.
        public var occurrences: Int

        /// The treatment of such bytes.
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
