// SPDX-License-Identifier: Apache-2.0

/// Names in other systems are bytes. Swift compares text by characters and canonical equivalence, which no bucket or
/// database does: for Swift, `"/\u{301}x"` has no slash, and an é in one scalar equals one in two. Code that decides
/// the place or the owner of a name uses these.
extension StringProtocol {
    /// Whether the UTF-8 begins with that of another text.
    func hasBytePrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

    func hasByteSuffix(_ suffix: some StringProtocol) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }

    /// Whether both are the same bytes.
    func isByteEqual(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether one of these ASCII characters occurs.
    func containsByte(of characters: StaticString) -> Bool {
        characters.withUTF8Buffer { wanted in utf8.contains { wanted.contains($0) } }
    }

    /// Whether another text occurs in it.
    func containsBytes(_ text: String) -> Bool {
        let (bytes, wanted) = (Array(utf8), Array(text.utf8))
        guard wanted.count <= bytes.count else { return false }
        return (0...bytes.count - wanted.count).contains { bytes[$0...].starts(with: wanted) }
    }

    /// The rest after this number of bytes, which end at a scalar's boundary.
    func droppingBytes(_ count: Int) -> String { String(decoding: utf8.dropFirst(count), as: UTF8.self) }

    /// Whether it is written as an object's address, where its name alone is meant.
    var isAddressOfObject: Bool { ["https://", "http://", "s3://", "gs://"].contains { hasBytePrefix($0) } }

    /// The parts between slashes, empty ones too.
    var slashParts: [String] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The parts before, between and after a marker; one part if it does not occur.
    func parts(around marker: StaticString) -> [String] {
        let marker = marker.withUTF8Buffer { Array($0) }
        let bytes = Array(utf8)
        var parts: [String] = []
        var start = 0
        var index = 0
        while index + marker.count <= bytes.count {
            guard bytes[index...].starts(with: marker) else {
                index += 1
                continue
            }
            parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
            index += marker.count
            start = index
        }
        return parts + [String(decoding: bytes[start...], as: UTF8.self)]
    }
}
