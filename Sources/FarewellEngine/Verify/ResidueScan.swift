// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Searches the bytes of a SQLite database's files for identifiers: what a delete may leave in free pages
/// and in the write-ahead log.
package struct ResidueScan: Sendable {
    /// How much of a file is in memory at a time.
    private static let window = 1 << 20

    package init() {}

    package struct Outcome: Sendable, Hashable {
        package var files = 0
        package var bytes = 0
        package var occurrences = 0
    }

    /// Counts occurrences of any needle, in the letter case given and in lower case, in UTF-8.
    package func run(for needles: [String], in files: [String]) throws -> Outcome {
        let patterns = Set(needles.flatMap { [$0, $0.lowercased()] }).filter { !$0.isEmpty }.map { Data($0.utf8) }
        var outcome = Outcome()
        guard let longest = patterns.map(\.count).max() else { return outcome }
        for path in files where FileManager.default.fileExists(atPath: path) {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            outcome.files += 1
            var tail = Data()
            while let piece = try file.read(upToCount: Self.window), !piece.isEmpty {
                outcome.bytes += piece.count
                let text = tail + piece
                outcome.occurrences += patterns.reduce(0) { $0 + Self.count($1, in: text, after: tail.count) }
                tail = Data(text.suffix(longest - 1))
            }
        }
        return outcome
    }

    /// Occurrences that end beyond the first `seen` bytes, so that the overlap is not counted twice.
    private static func count(_ pattern: Data, in text: Data, after seen: Int) -> Int {
        var found = 0
        var rest = text.startIndex..<text.endIndex
        while let hit = text.range(of: pattern, in: rest) {
            if text.distance(from: text.startIndex, to: hit.upperBound) > seen { found += 1 }
            rest = text.index(after: hit.lowerBound)..<text.endIndex
        }
        return found
    }
}
