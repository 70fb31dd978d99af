// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files that interrupted runs of an export have read completely.
///
/// Each run has a list in its hidden folder, `.read`: one line for the export, then one for each complete file. The
/// next run moves list and files into `.earlier-1`, `.earlier-2` and so on, and takes files from there. Memory holds
/// only where each line is.
struct ExportRest: Sendable {
    /// A complete file, as its line describes it.
    struct Entry: Sendable {
        let size: ExportFile.Size
        /// Below the hidden folder.
        let path: [FileName]
    }

    private struct Line: Sendable {
        let run: Int32
        let length: Int32
        let offset: Int
    }

    static let list = ".read"
    private static let prefix = ".earlier-"
    private static let form = "farewell-export-1"

    /// By the first digits of the source.
    private var lines: [UInt64: Line] = [:]
    /// When the first of the runs began, in ISO 8601.
    private(set) var since = ""

    var isEmpty: Bool { lines.isEmpty }

    static func name(of run: Int) -> String { prefix + String(run) }

    /// The number of the run that has this folder; `nil` for any other name.
    static func run(_ name: String) -> Int? {
        guard name.utf8.starts(with: prefix.utf8), let run = Int(name.dropFirst(prefix.count)),
            (1...99_999).contains(run)
        else { return nil }
        return run
    }

    // MARK: Lines

    static func header(_ identity: String, since: String) -> [UInt8] { Array("\(form) \(identity) \(since)\n".utf8) }

    static func line(_ source: ExportSource, _ size: ExportFile.Size, _ path: [FileName]) -> [UInt8] {
        let path = Array(path.map(\.raw).joined(separator: [UInt8(ascii: "/")])).hexadecimal
        return Array("\(source.digest) \(size.sha256) \(size.bytes) \(path)\n".utf8)
    }

    /// The beginning of the export that has this list; `nil` if it is the list of another export, or none.
    static func since(in list: [UInt8], of identity: String) -> String? {
        guard let end = list.firstIndex(of: 10) else { return nil }
        let words = String(decoding: list[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 3, words[0] == form, words[1] == identity else { return nil }
        return String(words[2])
    }

    // MARK: Runs

    /// Adds the files of a run to those that can be taken.
    ///
    /// - Parameter folder: Of the run.
    mutating func add(_ run: Int, in folder: OpenFolder, since: String) throws {
        guard let name = FileName(Self.list), let number = Int32(exactly: run) else { return }
        var start = 0
        var line: [UInt8] = []
        var found = lines
        _ = try folder.read(name) { bytes in
            for byte in bytes {
                guard byte == 10 else {
                    line.append(byte)
                    continue
                }
                if start > 0, let key = Self.key(line), let length = Int32(exactly: line.count) {
                    found[key] = Line(run: number, length: length, offset: start)
                }
                start += line.count + 1
                line.removeAll(keepingCapacity: true)
            }
        }
        lines = found
        self.since = self.since.isEmpty ? since : min(self.since, since)
    }

    private static func key(_ line: some Collection<UInt8>) -> UInt64? {
        UInt64(String(decoding: line.prefix(16), as: UTF8.self), radix: 16)
    }

    /// The complete file of a source.
    ///
    /// - Parameter hidden: The folder in which those of the runs are.
    func entry(of source: ExportSource, below hidden: Int32) -> Entry? {
        guard let key = Self.key(source.digest.utf8), let line = lines[key] else { return nil }
        let raw = openat(
            hidden, Self.name(of: Int(line.run)) + "/" + Self.list, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        defer { close(raw) }
        var bytes = [UInt8](repeating: 0, count: Int(line.length))
        guard pread(raw, &bytes, bytes.count, off_t(line.offset)) == bytes.count else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 4, words[0] == source.digest, let count = Int(words[2]),
            let path = Self.path(words[3], in: Int(line.run))
        else { return nil }
        return Entry(size: (count, String(words[1])), path: path)
    }

    private static func path(_ digits: Substring, in run: Int) -> [FileName]? {
        guard let bytes = digits.utf8.hexadecimalBytes else { return nil }
        let parts = [Array(name(of: run).utf8)] + bytes.split(separator: UInt8(ascii: "/")).map { Array($0) }
        return FolderPath(parts: parts)?.names
    }
}
