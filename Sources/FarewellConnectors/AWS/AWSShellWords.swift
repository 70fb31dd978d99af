// SPDX-License-Identifier: Apache-2.0

/// Splits a line into words as a POSIX shell does, without expansion, as AWS's own tools do with `credential_process`
/// and with the names of profiles (Python's `shlex.split`).
enum AWSShellWords {
    /// - Returns: `nil` if a quotation has no end, or nothing follows the last backslash.
    static func split(_ line: String) -> [String]? {
        var words: [[UInt8]] = []
        var word: [UInt8]?
        var quote: UInt8?
        var bytes = Array(line.utf8)[...]
        while let byte = bytes.popFirst() {
            switch (quote, byte) {
            case (let open?, byte) where open == byte: quote = nil
            case (UInt8(ascii: "'"), _): word = (word ?? []) + [byte]
            case (_, UInt8(ascii: "\\")):
                guard let next = bytes.popFirst() else { return nil }
                // Between double quotes it escapes only itself and them.
                let isKept = quote != nil && next != UInt8(ascii: "\\") && next != UInt8(ascii: "\"")
                word = (word ?? []) + (isKept ? [byte, next] : [next])
            case (nil, UInt8(ascii: "'")), (nil, UInt8(ascii: "\"")):
                quote = byte
                word = word ?? []
            case (nil, 0x20), (nil, 0x09), (nil, 0x0a), (nil, 0x0d):
                if let ended = word { words.append(ended) }
                word = nil
            default: word = (word ?? []) + [byte]
            }
        }
        guard quote == nil else { return nil }
        if let word { words.append(word) }
        return words.map { String(decoding: $0, as: UTF8.self) }
    }
}
