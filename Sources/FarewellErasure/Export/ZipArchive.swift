// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Writes a ZIP archive whose files are stored as they are (PKWARE APPNOTE 6.3.10), with the ZIP64 records where sizes
/// or numbers need them.
struct ZipArchive {
    private let file: ExportFile
    private var offset: UInt64 = 0
    private var directory: [UInt8] = []
    private var entries: UInt64 = 0

    init(_ file: ExportFile) { self.file = file }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - path: Relative, of safe names, in UTF-8 where it can be.
    ///   - read: Hands out the file's bytes; called twice, with the same bytes each time.
    mutating func add(_ path: [UInt8], _ read: (([UInt8]) throws -> Void) throws -> Void) throws {
        var (crc, size) = (CRC32(), UInt64(0))
        try read { bytes in
            crc.add(bytes)
            size += UInt64(bytes.count)
        }
        let isLarge = size >= Self.most32
        let isText = String(decoding: path, as: UTF8.self).utf8.elementsEqual(path)
        var head: [UInt8] = []
        head.number(0x0403_4b50, 4)
        head += entry(crc.value, size, path, isLarge: isLarge, isText: isText)
        head.number(isLarge ? 20 : 0, 2)
        head += path
        if isLarge { head += Self.extra([size, size]) }
        let start = offset
        try put(head)
        try read { try put($0) }
        let isFar = start >= Self.most32
        let extra = isLarge || isFar ? Self.extra((isLarge ? [size, size] : []) + (isFar ? [start] : [])) : []
        directory.number(0x0201_4b50, 4)
        // Made on Unix.
        directory.number(0x0300 | 45, 2)
        directory += entry(crc.value, size, path, isLarge: isLarge || isFar, isText: isText, hasSizes: !isLarge)
        directory.number(UInt64(extra.count), 2)
        directory.number(0, 2)
        directory.number(0, 2)
        directory.number(0, 2)
        // An ordinary file that its owner reads and writes.
        directory.number(0o100600 << 16, 4)
        directory.number(isFar ? Self.most32 : start, 4)
        directory += path + extra
        entries += 1
    }

    /// Writes the directory and closes the file.
    mutating func end() throws {
        let (start, size) = (offset, UInt64(directory.count))
        try put(directory)
        var tail: [UInt8] = []
        if entries >= 0xffff || start >= Self.most32 || size >= Self.most32 {
            let end64 = offset
            tail.number(0x0606_4b50, 4)
            tail.number(44, 8)
            tail.number(45, 2)
            tail.number(45, 2)
            tail.number(0, 8)
            for number in [entries, entries, size, start] { tail.number(number, 8) }
            tail.number(0x0706_4b50, 4)
            tail.number(0, 4)
            tail.number(end64, 8)
            tail.number(1, 4)
        }
        tail.number(0x0605_4b50, 4)
        tail.number(0, 4)
        for _ in 0..<2 { tail.number(min(entries, 0xffff), 2) }
        tail.number(min(size, Self.most32), 4)
        tail.number(min(start, Self.most32), 4)
        tail.number(0, 2)
        try put(tail)
        _ = try file.end()
    }

    /// The common part of the two records of a file, from the version to the length of its name.
    private func entry(
        _ crc: UInt32, _ size: UInt64, _ path: [UInt8], isLarge: Bool, isText: Bool, hasSizes: Bool? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.number(isLarge ? 45 : 20, 2)
        bytes.number(isText ? 0x0800 : 0, 2)
        bytes.number(0, 2)
        bytes.number(0, 2)
        // The first day that there is, so that the same export makes the same bytes.
        bytes.number(0x0021, 2)
        bytes.number(UInt64(crc), 4)
        let shown = hasSizes ?? !isLarge ? size : Self.most32
        bytes.number(shown, 4)
        bytes.number(shown, 4)
        bytes.number(UInt64(path.count), 2)
        return bytes
    }

    private static func extra(_ numbers: [UInt64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.number(1, 2)
        bytes.number(UInt64(8 * numbers.count), 2)
        for number in numbers { bytes.number(number, 8) }
        return bytes
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        try file.write(bytes)
        offset += UInt64(bytes.count)
    }

    private static let most32: UInt64 = 0xffff_ffff
}

extension [UInt8] {
    /// A number, its lowest byte first.
    fileprivate mutating func number(_ number: UInt64, _ count: Int) {
        for place in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }
}
