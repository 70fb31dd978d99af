// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Searches the bytes of a SQLite database's files for identifiers that a delete may leave in free pages and in the
/// write-ahead log.
struct ResidueScan: Sendable {
    private let patterns: [[UInt8]]
    private(set) var files = 0
    private(set) var bytes = 0
    private(set) var occurrences = 0
    private var file: Int?
    /// The end of the piece before: an occurrence may begin there.
    private var tail: [UInt8] = []

    /// The statement whose answer is the encoding.
    static let encoding = SQLStatement("SELECT encoding FROM pragma_encoding")

    /// - Parameter encoding: In which encoding the file holds texts, in SQLite's words; `nil` is UTF-8. Full-text
    ///   indexes hold their words in UTF-8 in every file.
    init(for needles: [String], encoding: String? = nil) {
        let texts = Self.patterns(of: needles).map(\.text)
        let wide: [[UInt8]] =
            switch encoding {
            case "UTF-16le": texts.map { $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
            case "UTF-16be": texts.map { $0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
            default: []
            }
        patterns = texts.map { Array($0.utf8) } + wide
    }

    /// The searched bytes: the identifiers and the key of each subject, as written and as either kind of `lower()`
    /// makes them. Numbers are too short to be distinguished from other bytes.
    static func needles(of subjects: [SealedSubject]) -> [String] {
        subjects.flatMap(names).flatMap { name in
            [name, String(decoding: name.folded, as: UTF8.self), name.loweredInASCII]
        }.exactlyDistinct
    }

    /// The names of a subject that are long enough.
    static func names(of subject: SealedSubject) -> [String] {
        var names = subject.identifiers
        if case .integer = subject.key {} else { names.append(subject.key.text) }
        return names.filter { $0.unicodeScalars.prefix(SearchedName.shortest).count >= SearchedName.shortest }
    }

    /// The searched texts: each needle in the given letter case and in lower case.
    static func patterns(of needles: [String]) -> Set<ExactText> {
        Set(needles.flatMap { [ExactText($0), ExactText($0.lowercased())] }).filter { !$0.text.isEmpty }
    }

    /// Counts what the next piece of a file holds.
    mutating func take(_ piece: [UInt8], of number: Int) {
        if file != number {
            (file, tail) = (number, [])
            files += 1
        }
        bytes += piece.count
        let text = tail + piece
        occurrences += patterns.reduce(0) { $0 + Self.count($1, in: text, after: tail.count) }
        tail = text.suffix(max((patterns.map(\.count).max() ?? 1) - 1, 0))
    }

    /// Occurrences that end beyond the first `seen` bytes, so that the overlap is not counted twice. The C library
    /// looks for the first byte, which `Data` would compare one by one.
    private static func count(_ pattern: [UInt8], in text: [UInt8], after seen: Int) -> Int {
        text.withUnsafeBytes { text in
            pattern.withUnsafeBytes { pattern in
                guard let start = text.baseAddress, let sought = pattern.baseAddress else { return 0 }
                var found = 0
                var place = max(0, seen - pattern.count + 1)
                // The end of the places where an occurrence can begin.
                let end = text.count - pattern.count + 1
                while place < end, let hit = memchr(start + place, Int32(pattern[0]), end - place) {
                    if memcmp(hit, sought, pattern.count) == 0 { found += 1 }
                    place = start.distance(to: UnsafeRawPointer(hit)) + 1
                }
                return found
            }
        }
    }
}
