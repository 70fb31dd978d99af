// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Statements in SQLite's spelling, each spelled once.
struct SQLiteSpelling: Sendable {
    /// A text that is hashed by its length and a few of its bytes. Texts are constants of the program, which no caller
    /// chooses, so that few of them have the same hash; and two texts are equal only if all bytes are.
    private struct Key: Hashable {
        let text: String

        static func == (one: Key, other: Key) -> Bool { one.text.isExactly(other.text) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                hasher.combine(bytes.count)
                guard bytes.count > Self.samples * 8 else { return hasher.combine(bytes: bytes) }
                for sample in 0..<Self.samples {
                    let place = sample * (bytes.count - 8) / (Self.samples - 1)
                    hasher.combine(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                }
            }
        }

        /// Groups of eight bytes, spread over the text.
        private static let samples = 8
    }

    private var known: [Key: String] = [:]
    /// Texts are constants of the program, so their number is limited.
    private static let most = 512

    /// A statement as SQLite takes it.
    mutating func text(_ text: String) -> String {
        let key = Key(text: text)
        if let spelled = known[key] { return spelled }
        if known.count >= Self.most { known = [:] }
        let spelled = NumberedParameters.sqlite(text) + Self.composition(of: text)
        known[key] = spelled
        return spelled
    }

    /// A comment that keeps two texts apart which differ only in how letters are composed, as names of tables may: the
    /// library's cache compares texts as Unicode does, and would run the first for the second.
    private static func composition(of text: String) -> String {
        let scalars = text.unicodeScalars.filter { !$0.isASCII }
        guard !scalars.isEmpty else { return "" }
        return " /* \(scalars.map { String($0.value, radix: 16) }.joined(separator: " ")) */"
    }
}
