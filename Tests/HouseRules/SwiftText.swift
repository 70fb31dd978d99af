// SPDX-License-Identifier: Apache-2.0

/// Parsed Swift source: code without comments and without the contents of string literals.
///
/// A small scanner, not a parser: it knows nested comments, raw and multi-line strings and interpolations,
/// which is what the rules need in order not to stumble over words in prose.
struct SwiftText: Sendable {
    struct Literal: Sendable {
        /// The line it begins on, from 1.
        let line: Int
        /// Its place in `code`, in bytes: where the opening quote stands.
        let offset: Int
        /// The text between the quotes; an interpolation is a single `…`.
        var text: String
    }

    /// As long as the source, line by line and byte by byte; comments and literals' contents are spaces.
    private(set) var code = ""
    private(set) var literals: [Literal] = []

    init(plain: String) { code = plain }

    init(_ source: String) {
        var scanner = Scanner(Array(source.utf8))
        scanner.run()
        code = String(decoding: scanner.code, as: UTF8.self)
        literals = scanner.literals.map {
            Literal(line: $0.line, offset: $0.offset, text: String(decoding: $0.bytes, as: UTF8.self))
        }
    }
}

private struct Scanner {
    enum Frame {
        /// Code, with the number of parentheses open in it.
        case code(open: Int)
        /// A literal with its number of `#`, whether it is multi-line, and its place in `literals`.
        case literal(hashes: Int, multiline: Bool, place: Int)
    }

    let source: [UInt8]
    var position = 0
    var line = 1
    var code: [UInt8] = []
    var literals: [(line: Int, offset: Int, bytes: [UInt8])] = []
    var frames: [Frame] = [.code(open: 0)]

    init(_ source: [UInt8]) {
        self.source = source
        code.reserveCapacity(source.count)
    }

    mutating func run() {
        while position < source.count {
            switch frames[frames.count - 1] {
            case .code(let open): scanCode(open)
            case .literal(let hashes, let multiline, let place): scanLiteral(hashes, multiline, place)
            }
        }
    }

    private mutating func scanCode(_ open: Int) {
        if sees("//") {
            while position < source.count, source[position] != 10 { blank() }
        } else if sees("/*") {
            skipBlockComment()
        } else if let (hashes, quotes) = openingQuote() {
            literals.append((line, code.count + hashes, []))
            frames.append(.literal(hashes: hashes, multiline: quotes == 3, place: literals.count - 1))
            for _ in 0..<(hashes + quotes) { keep() }
        } else if source[position] == UInt8(ascii: "(") {
            frames[frames.count - 1] = .code(open: open + 1)
            keep()
        } else if source[position] == UInt8(ascii: ")") {
            if open == 0, frames.count > 1 {
                frames.removeLast()  // the end of an interpolation
            } else {
                frames[frames.count - 1] = .code(open: open - 1)
            }
            keep()
        } else {
            keep()
        }
    }

    private mutating func scanLiteral(_ hashes: Int, _ multiline: Bool, _ place: Int) {
        let marks = String(repeating: "#", count: hashes)
        let closing = (multiline ? "\"\"\"" : "\"") + marks
        if sees(closing) {
            frames.removeLast()
            for _ in closing.utf8 { keep() }
        } else if sees("\\" + marks + "(") {
            literals[place].bytes += Array("…".utf8)
            for _ in 0..<(hashes + 2) { blank() }
            frames.append(.code(open: 0))
        } else if sees("\\" + marks) {
            for _ in 0..<(hashes + 2) where position < source.count {
                literals[place].bytes.append(source[position])
                blank()
            }
        } else {
            if source[position] == 10, !multiline { frames.removeLast() }
            literals[place].bytes.append(source[position])
            blank()
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        while position < source.count {
            if sees("/*") {
                depth += 1
                blank()
            } else if sees("*/") {
                depth -= 1
                blank()
            }
            blank()
            if depth == 0 { return }
        }
    }

    /// The number of `#` and of quotes that open a literal here, or nil.
    private func openingQuote() -> (hashes: Int, quotes: Int)? {
        var next = position
        while next < source.count, source[next] == UInt8(ascii: "#") { next += 1 }
        guard next < source.count, source[next] == UInt8(ascii: "\"") else { return nil }
        let three = next + 2 < source.count && source[next + 1] == source[next] && source[next + 2] == source[next]
        return (next - position, three ? 3 : 1)
    }

    private func sees(_ text: String) -> Bool {
        var next = position
        for byte in text.utf8 {
            guard next < source.count, source[next] == byte else { return false }
            next += 1
        }
        return true
    }

    private mutating func keep() { take(source[position]) }
    private mutating func blank() {
        guard position < source.count else { return }
        take(source[position] == 10 ? 10 : 32)
    }

    private mutating func take(_ byte: UInt8) {
        code.append(byte)
        if source[position] == 10 { line += 1 }
        position += 1
    }
}
