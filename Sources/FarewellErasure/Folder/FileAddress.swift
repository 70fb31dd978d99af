// SPDX-License-Identifier: Apache-2.0
import Farewell

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files below a root that a column's text may mean: usually a path relative to the root; otherwise a path or an
/// address by which a browser finds the file, `/media/a.png`, `https://cdn.example.org/media/a%20b.png?v=2` (RFC 3986).
///
/// Works on bytes, and every part of every path is checked: none leads out of the root.
struct FileAddress {
    enum Meaning: Equatable {
        case empty
        /// It holds the file itself (`data:`), which is deleted with its row.
        case content
        /// A path that is not followed.
        case unsafe
        /// An address that leads to nothing below the root.
        case elsewhere
        /// In the order of the search, each once. An address may mean a file of another place with the same name: only
        /// an existing file proves the meaning.
        case paths([FolderPath], isRelative: Bool)
    }

    let meaning: Meaning
    /// The paths that its parts would be if it were a list or a document.
    private let listed: [FolderPath]

    /// - Parameter root: The root's absolute path, by whose last parts an address names the folder.
    init(_ text: String, root: String) {
        meaning = Self.meaning(of: Array(text.utf8), text, root: Array(root.utf8))
        listed = Self.listed(in: text)
    }

    /// The most parts of a list that are looked for.
    private static let mostListed = 100

    private static func listed(in text: String) -> [FolderPath] {
        let marks = Set(",;|\"'[]{}\n\r\t".utf8)
        guard text.utf8.contains(where: marks.contains) else { return [] }
        let parts = text.utf8.split(whereSeparator: marks.contains).prefix(mostListed).map { part in
            let spaces = part.prefix { $0 == UInt8(ascii: " ") }.count
            let last = part.lastIndex { $0 != UInt8(ascii: " ") }.map(part.index(after:)) ?? part.endIndex
            return spaces < part.count ? String(decoding: part.dropFirst(spaces).prefix(upTo: last), as: UTF8.self) : ""
        }
        return parts.filter { !$0.isEmpty }.compactMap { FolderPath(file: $0) }
    }

    /// Whether a text may name a path below the root to those who follow it: `..` leads up, and is not refused.
    static func mayName(_ path: String, as text: String, root: String) -> Bool {
        [text, withoutSteps(text)].contains { written in
            FileAddress(written, root: root).paths.contains { $0.text.utf8.elementsEqual(path.utf8) }
        }
    }

    /// `a/b/../c` as `a/c`.
    private static func withoutSteps(_ text: String) -> String {
        let up = Array("..".utf8)
        var parts: Parts = []
        for part in text.utf8.split(separator: slash, omittingEmptySubsequences: false).map(Array.init) {
            if PercentEncoding.bytes(part) == up, let last = parts.last, !last.isEmpty {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return String(decoding: Array(parts.joined(separator: [slash])), as: UTF8.self)
    }

    private static let slash = UInt8(ascii: "/")
    private static let percent = UInt8(ascii: "%")
    private static let query = UInt8(ascii: "?")
    private static let fragment = UInt8(ascii: "#")

    private typealias Parts = [[UInt8]]

    private static func meaning(of bytes: [UInt8], _ text: String, root: [UInt8]) -> Meaning {
        guard !bytes.isEmpty else { return .empty }
        if folded(bytes.prefix(5)) == Array("data:".utf8) { return .content }
        let folder = root.split(separator: slash).map(Array.init)
        if let place = addressed(bytes) {
            guard case .path(let path, let isFile) = place else { return .elsewhere }
            let found = below(folder, path, isWhole: isFile)
            return found.isEmpty ? .elsewhere : .paths(found, isRelative: isFile)
        }
        if bytes.first == slash {
            let found = below(folder, bytes, isWhole: true)
            if found.isEmpty { return bytes.allSatisfy { $0 == slash } ? .unsafe : .elsewhere }
            return .paths(found, isRelative: true)
        }
        guard let literal = FolderPath(file: text) else { return .unsafe }
        var paths = [literal]
        for parts in spellings(bytes) {
            paths += [FolderPath(parts: parts)].compactMap(\.self)
            guard let last = folder.last, parts.count > 1, parts.first == last else { continue }
            paths += [FolderPath(parts: Array(parts.dropFirst()))].compactMap(\.self)
        }
        var isRelative = true
        if let plain = plain(bytes) {
            switch meaning(of: plain, String(decoding: plain, as: UTF8.self), root: root) {
            case .paths(let others, let areRelative): (paths, isRelative) = (paths + others, areRelative)
            case .elsewhere: isRelative = false
            case .empty, .content, .unsafe: break
            }
        }
        return .paths(distinct(paths), isRelative: isRelative)
    }

    /// A path as programs on Windows write it (`C:\media\a.png`), or with spaces around it, in the usual form; `nil`
    /// if it has that form.
    private static func plain(_ bytes: [UInt8]) -> [UInt8]? {
        let spaces = Set(" \t\r\n".utf8)
        let begun = bytes.drop(while: spaces.contains)
        let end = begun.lastIndex { !spaces.contains($0) }.map { $0 + 1 } ?? begun.startIndex
        var plain = begun[..<end].map { $0 == UInt8(ascii: "\\") ? slash : $0 }
        if plain.count > 2, plain[0].isASCIILetter, plain[1] == UInt8(ascii: ":"), plain[2] == slash {
            plain.removeFirst(2)
        }
        return plain.isEmpty || plain == bytes ? nil : plain
    }

    private enum Place {
        case path([UInt8], isFile: Bool)
        case other
    }

    /// The target of an address with a scheme or a host; `nil` if it has neither.
    private static func addressed(_ bytes: [UInt8]) -> Place? {
        let scheme: [UInt8]
        let rest: ArraySlice<UInt8>
        if bytes.starts(with: "//".utf8) {
            (scheme, rest) = ([], bytes.dropFirst(2))
        } else if let mark = bytes.firstRange(of: Array("://".utf8)) {
            (scheme, rest) = (folded(bytes[..<mark.lowerBound]), bytes[mark.upperBound...])
            // `a/b://c` is no address: a scheme has no slash.
            guard !scheme.contains(slash) else { return .other }
        } else {
            return nil
        }
        guard let start = rest.firstIndex(where: { [slash, query, fragment].contains($0) }), rest[start] == slash else {
            return .other
        }
        switch scheme {
        case Array("file".utf8): return .path(Array(rest[start...]), isFile: true)
        case [], Array("http".utf8), Array("https".utf8): return .path(Array(rest[start...]), isFile: false)
        default: return .other
        }
    }

    /// The paths below the root that an absolute path means: it begins with the root's own path, if it may be one of
    /// the file system, or otherwise with the root's last parts.
    private static func below(_ folder: Parts, _ path: [UInt8], isWhole: Bool) -> [FolderPath] {
        distinct(
            spellings(path).compactMap { parts in
                if isWhole, parts.count > folder.count, !folder.isEmpty, Array(parts.prefix(folder.count)) == folder {
                    return FolderPath(parts: Array(parts.dropFirst(folder.count)))
                }
                let longest = min(folder.count, parts.count - 1)
                guard longest > 0 else { return nil }
                for length in (1...longest).reversed() where Array(parts.prefix(length)) == Array(folder.suffix(length))
                {
                    return FolderPath(parts: Array(parts.dropFirst(length)))
                }
                return nil
            })
    }

    /// The parts of a path as it is written, without what follows it in an address, and of that with its escapes
    /// resolved: a slash that was escaped does not divide.
    private static func spellings(_ bytes: [UInt8]) -> [Parts] {
        let cut = bytes.prefix { $0 != query && $0 != fragment }
        let all = [parts(bytes)] + (cut.count < bytes.count ? [parts(cut)] : [])
        return cut.contains(percent) ? all + [parts(cut).map { PercentEncoding.bytes($0) }] : all
    }

    private static func parts(_ path: some Collection<UInt8>) -> Parts {
        path.split(separator: slash).map { Array($0) }.filter { !$0.elementsEqual(".".utf8) }
    }

    private static func distinct(_ paths: [FolderPath]) -> [FolderPath] {
        var seen: Set<FolderPath> = []
        return paths.filter { seen.insert($0).inserted }
    }

    private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map(\.withoutASCIICapital)
    }
}

extension FileAddress {
    /// The result of the search below a root.
    enum Finding {
        case file(FolderPath, stat)
        /// Nothing of that name is there.
        case missing
        /// The file, if there is one, stays.
        case refused(FolderRefusal.Reason)
    }

    /// Looks for each of the paths.
    ///
    /// - Parameter way: Goes down to the folder that a path ends in.
    func find(_ way: (ArraySlice<FileName>) throws -> FolderLookup) throws -> Finding {
        guard case .paths(let paths, let isRelative) = meaning else { return withoutPath }
        var found: [(path: FolderPath, status: stat)] = []
        var obstacle: FolderRefusal.Reason?
        for path in paths {
            guard let name = path.names.last else { continue }
            switch try way(path.names.dropLast()) {
            case .missing: break
            case .throughLink: obstacle = obstacle ?? .throughLink
            case .throughFile: obstacle = obstacle ?? .throughFile
            case .open(let folder):
                guard let status = try folder.status(of: name) else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    obstacle = obstacle ?? .folder
                } else {
                    found.append((path, status))
                }
            }
        }
        if found.count > 1 { return .refused(.ambiguous) }
        if let file = found.first { return .file(file.path, file.status) }
        if let obstacle { return .refused(obstacle) }
        guard isRelative else { return .refused(.elsewhere) }
        return try listed.contains { try Self.isFile($0, way) } ? .refused(.list) : .missing
    }

    private static func isFile(_ path: FolderPath, _ way: (ArraySlice<FileName>) throws -> FolderLookup) throws -> Bool
    {
        guard let name = path.names.last, case .open(let folder) = try way(path.names.dropLast()) else { return false }
        return try folder.status(of: name).map { $0.st_mode & S_IFMT != S_IFDIR } ?? false
    }

    private var withoutPath: Finding {
        switch meaning {
        case .empty: .refused(.empty)
        case .unsafe: .refused(.unsafe)
        case .elsewhere: .refused(.elsewhere)
        case .content, .paths: .missing
        }
    }

    /// The paths it may mean.
    var paths: [FolderPath] {
        if case .paths(let paths, _) = meaning { paths } else { [] }
    }
}
