// SPDX-License-Identifier: Apache-2.0

/// Bounds the runs of combining marks in untrusted text (Unicode Standard Annex #15, section 13, "Stream-Safe Text"),
/// and those of regional indicators.
///
/// Swift compares, hashes, splits and normalises text by its canonical composition. To do so it sorts each run of
/// combining marks, and the time of that grows with the square of the run's length: 64 KB of marks take a second. No
/// language writes more than a few marks in a row, so the annex limits a run to 30. Two regional indicators make a
/// flag; to find the pairs, a backward search counts all earlier indicators. Text within both limits is processed in
/// time that is linear in its length, by every operation.
///
/// Every place that reads untrusted text makes this check once, on the bytes, before anything else. Requests, tokens,
/// plan files and settings refuse text that is not stream-safe. Text that must be kept, such as a name in another
/// system, is bounded in length or separated as the annex describes (``streamSafe``).
@usableFromInline package enum StreamSafeText {
    /// The most combining marks in a row.
    package static let longestRun = 30

    /// The most regional indicators in a row: 128 flags.
    package static let mostIndicators = 256

    /// The fault of text that is not stream-safe, after "it holds".
    package static let excess = "more than \(longestRun) combining marks, or \(mostIndicators) flag letters, in a row"

    /// The longest text that is kept as it is although it may not be stream-safe, in bytes of UTF-8: no system allows
    /// longer names for its objects (1,024 in S3 and Google Cloud Storage, 1,500 in Firestore).
    package static let longestIdentifier = 1_536

    /// The separator that ends a run: COMBINING GRAPHEME JOINER, which is invisible and has the combining class 0.
    static let joiner: Unicode.Scalar = "\u{034F}"

    /// Whether no run is longer than ``longestRun`` or ``mostIndicators`` allow. One pass over the bytes; anything that
    /// is not UTF-8 ends a run, as the replacement character does that Swift puts in its place.
    @usableFromInline package static func isSafe(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var (marks, indicators, index) = (0, 0, 0)
        while index < bytes.count {
            let first = bytes[index]
            // The first combining mark is U+0300, which begins with 0xCC.
            guard first >= 0xCC else {
                if first < 0x80 || first >= 0xC0 { (marks, indicators) = (0, 0) }
                index = first < 0x80 ? endOfASCII(from: index + 1, in: bytes) : index + 1
                continue
            }
            guard let (scalar, length) = scalar(at: index, in: bytes) else {
                (marks, indicators) = (0, 0)
                index += 1
                continue
            }
            marks = isMark(scalar) ? marks + 1 : 0
            indicators = isIndicator(scalar) ? indicators + 1 : 0
            guard marks <= longestRun, indicators <= mostIndicators else { return false }
            index += length
        }
        return true
    }

    /// Eight bytes at a time: nearly all that is read is ASCII.
    private static func endOfASCII(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while index + 8 <= raw.count,
            raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index += 8
        }
        return index
    }

    private static func scalar(
        at index: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> (scalar: Unicode.Scalar, length: Int)? {
        let first = bytes[index]
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard index + length <= bytes.count else { return nil }
        var code = UInt32(first) & (0xFF >> UInt32(length + 1))
        for offset in 1..<length {
            let next = bytes[index + offset]
            guard next & 0xC0 == 0x80 else { return nil }
            code = code << 6 | UInt32(next & 0x3F)
        }
        return Unicode.Scalar(code).map { ($0, length) }
    }

    static func isIndicator(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }

    /// Whether a scalar is sorted with its neighbours: its combining class is not 0, or it decomposes into such scalars
    /// although its own class is 0.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x300: false
        case 0x0F73, 0x0F75, 0x0F81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension StringProtocol {
    /// Whether it holds no long run of combining marks or regional indicators (``StreamSafeText``).
    @inlinable package var isStreamSafe: Bool {
        if let isSafe = utf8.withContiguousStorageIfAvailable(StreamSafeText.isSafe) { return isSafe }
        return Array(utf8).withUnsafeBufferPointer(StreamSafeText.isSafe)
    }

    /// The same text if it is stream-safe; otherwise with a separator after every ``StreamSafeText/longestRun``
    /// combining marks (the Stream-Safe Text Process of the annex) and ``StreamSafeText/mostIndicators`` indicators.
    package var streamSafe: String {
        guard !isStreamSafe else { return String(self) }
        var safe = String.UnicodeScalarView()
        var (marks, indicators) = (0, 0)
        for scalar in unicodeScalars {
            marks = StreamSafeText.isMark(scalar) ? marks + 1 : 0
            indicators = StreamSafeText.isIndicator(scalar) ? indicators + 1 : 0
            if marks > StreamSafeText.longestRun || indicators > StreamSafeText.mostIndicators {
                safe.append(StreamSafeText.joiner)
                (marks, indicators) = (marks > 0 ? 1 : 0, indicators > 0 ? 1 : 0)
            }
            safe.append(scalar)
        }
        return String(safe)
    }
}

extension String {
    /// A text of another system, which may be the name of an object: as it is up to
    /// ``StreamSafeText/longestIdentifier`` bytes, and stream-safe beyond.
    package var boundedIdentifier: String { utf8.count <= StreamSafeText.longestIdentifier ? self : streamSafe }
}

extension Sequence<UInt8> {
    /// Whether these bytes, read as UTF-8, hold no long run of combining marks or regional indicators.
    @inlinable package var isStreamSafe: Bool {
        if let isSafe = withContiguousStorageIfAvailable(StreamSafeText.isSafe) { return isSafe }
        return Array(self).withUnsafeBufferPointer(StreamSafeText.isSafe)
    }
}
