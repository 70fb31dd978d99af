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

/// Looks below a root and changes nothing.
struct FolderSurvey {
    private let path: String
    private let root: OpenFolder
    private let boundary: FolderBoundary

    /// How many folders are held open at once; deeper ones are visited afterwards.
    static let depth = 64

    init(root path: String) throws {
        self.path = path
        root = try OpenFolder.root(path)
        boundary = try FolderBoundary(root)
    }

    /// Everything below a folder, and the folder itself. Nothing when it is not there.
    func count(_ names: [FileName]) async throws -> FolderCount {
        var count = FolderCount()
        guard let last = names.last, let parent = try way(names.dropLast()).folder,
            let status = try parent.status(of: last)
        else { return count }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            count.add(fileOf: Self.size(status))
            return count
        }
        var pending = [names]
        while let next = pending.popLast() {
            guard case .open(let folder) = try way(next) else { continue }
            count.folders += 1
            try await visit(folder, next, depth: 1, &count, &pending)
        }
        return count
    }

    private func visit(
        _ folder: OpenFolder, _ names: [FileName], depth: Int, _ count: inout FolderCount, _ pending: inout [[FileName]]
    ) async throws {
        while let name = try folder.next() {
            guard let status = try folder.status(of: name) else { continue }
            if status.st_mode & S_IFMT != S_IFDIR {
                count.add(fileOf: Self.size(status))
            } else if depth >= Self.depth {
                pending.append(names + [name])
            } else if let child = try folder.folder(name) {
                try boundary.check(child)
                count.folders += 1
                try await visit(child, names + [name], depth: depth + 1, &count, &pending)
            }
            try await Turn.give(after: count.files)
        }
    }

    /// The files that paths name, each once, and why paths are not followed.
    func look(
        files paths: [String], besides isShared: FolderEraser.SharedFile? = nil
    ) async throws -> (count: FolderCount, refused: [FolderRefusal.Reason]) {
        var (count, refused) = (FolderCount(), [FolderRefusal.Reason]())
        var seen: Set<FolderPath> = []
        for text in paths {
            switch try FileAddress(text, root: path).find(way) {
            case .missing: break
            case .refused(let reason): refused.append(reason)
            case .file(let path, let status):
                guard seen.insert(path).inserted else { continue }
                if try await isShared?(path.text) != true { count.add(fileOf: Self.size(status)) }
            }
            try await Turn.give(after: seen.count)
        }
        return (count, refused)
    }

    /// The file that one of a text's possible paths names, in one system call each; none if nothing exists.
    func status(of text: String) throws -> (path: FolderPath, status: stat)? {
        for path in FileAddress(text, root: path).paths {
            if let status = try status(at: path.names) { return (path, status) }
        }
        return nil
    }

    /// Some names in a folder, in no order; none if it is not there.
    func names(in path: [FileName], atMost count: Int) throws -> [FileName] {
        guard let folder = try way(path).folder else { return [] }
        // The root stays open for the next look.
        folder.rewind()
        var names: [FileName] = []
        while names.count < count, let name = try folder.next() { names.append(name) }
        return names
    }

    private func way(_ names: some Sequence<FileName>) throws -> FolderLookup {
        try FolderLookup.down(names, from: root, within: boundary)
    }

    /// The file at the full path, in one system call; `nil` if there is none.
    func status(at names: [FileName]) throws -> stat? {
        var full = Array(path.utf8CString.dropLast())
        for name in names {
            full.append(CChar(bitPattern: UInt8(ascii: "/")))
            full += name.bytes.dropLast()
        }
        var status = stat()
        if lstat(full + [0], &status) == 0 { return status }
        // ENOTDIR: a part on the way is a file, so nothing can be below it.
        guard errno == ENOENT || errno == ENOTDIR else {
            throw FileFailure(errno).error("An entry below a root cannot be inspected")
        }
        return nil
    }

    static func size(_ status: stat) -> Int { status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0 }
}
