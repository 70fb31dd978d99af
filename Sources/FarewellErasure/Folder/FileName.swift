// SPDX-License-Identifier: Apache-2.0

/// One component of a path in the operating system: bytes, not necessarily UTF-8, never `/` or NUL.
struct FileName: Hashable {
    /// Ends in a zero byte, as the system's calls want it.
    let bytes: [CChar]

    /// Takes a name the system gave. `nil` for `.` and `..`.
    init?(system name: UnsafePointer<CChar>) {
        var bytes: [CChar] = []
        var next = name
        while next.pointee != 0 {
            bytes.append(next.pointee)
            next += 1
        }
        if bytes == [46] || bytes == [46, 46] { return nil }
        self.bytes = bytes + [0]
    }

    /// Accepts a written name. `nil` unless it is one safe component of at most 255 bytes.
    init?(_ text: some StringProtocol) { self.init(bytes: Array(text.utf8)) }

    /// The same by its bytes.
    init?(bytes utf8: [UInt8]) {
        guard (1...255).contains(utf8.count), !utf8.contains(0), !utf8.contains(UInt8(ascii: "/")) else { return nil }
        guard utf8 != [46], utf8 != [46, 46] else { return nil }
        bytes = utf8.map { CChar(bitPattern: $0) } + [0]
    }

    /// For the caller's eyes; bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
}
