// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Turns `$1` into SQLite's `?1`, outside of texts, quoted identifiers and comments.
enum NumberedParameters {
    static func sqlite(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var state = State.code
        var previous: UInt8 = 0
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            let isParameter =
                state == .code && byte == UInt8(ascii: "$") && next.isASCIIDigit && !previous.isPartOfIdentifier
            output.append(isParameter ? UInt8(ascii: "?") : byte)
            state = state.after(byte, next: next, previous: previous)
            previous = byte
        }
        return String(decoding: output, as: UTF8.self)
    }

    private enum State: Equatable {
        case code, lineComment, blockComment
        case quoted(by: UInt8)

        /// A doubled quote ends and begins a text at once, which has the same effect.
        func after(_ byte: UInt8, next: UInt8, previous: UInt8) -> State {
            switch self {
            case .code:
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): .quoted(by: byte)
                case UInt8(ascii: "["): .quoted(by: UInt8(ascii: "]"))
                case UInt8(ascii: "-") where next == byte: .lineComment
                case UInt8(ascii: "/") where next == UInt8(ascii: "*"): .blockComment
                default: .code
                }
            case .quoted(let quote): byte == quote ? .code : self
            case .lineComment: byte == 10 ? .code : self
            case .blockComment: byte == UInt8(ascii: "/") && previous == UInt8(ascii: "*") ? .code : self
            }
        }
    }
}
