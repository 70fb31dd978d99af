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

/// The files below a root that an erasure would delete, one after the other.
struct FolderFiles {
    /// A file: the open folder that it lies in, and its path, whose first parts that all people share are left out.
    struct File {
        let folder: OpenFolder
        let name: FileName
        let path: [FileName]
    }

    private let path: String
    private let root: OpenFolder
    private let boundary: FolderBoundary

    init(root path: String) throws {
        self.path = path
        root = try OpenFolder.root(path)
        boundary = try FolderBoundary(root)
    }

    /// - Parameter isShared: Says of each file that a path names whether it is shared; a shared file is left.
    func forEach(
        _ target: FolderTarget, besides isShared: FolderEraser.SharedFile?, _ body: (File) throws -> Void
    ) async throws {
        switch target {
        case .folder(let template, let subject):
            let path = try FolderPath(template: template, subject: subject)
            try await below(path.names, common: path.common, body)
        case .files(let paths): try await named(paths, besides: isShared, body)
        }
    }

    /// Every file below the root.
    func forEachFile(_ body: (File) throws -> Void) async throws { try await walk([[]], common: 0, body) }

    private func below(_ names: [FileName], common: Int, _ body: (File) throws -> Void) async throws {
        guard let last = names.last, let parent = try way(names.dropLast()).folder,
            let status = try parent.status(of: last)
        else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return try body(File(folder: parent, name: last, path: Array(names.dropFirst(common))))
        }
        try await walk([names], common: common, body)
    }

    /// Each folder is opened anew from the root, so that no depth holds many of them open.
    private func walk(_ folders: [[FileName]], common: Int, _ body: (File) throws -> Void) async throws {
        var pending = folders
        var count = 0
        while let next = pending.popLast() {
            guard case .open(let folder) = try way(next) else { continue }
            while let name = try folder.next() {
                guard let status = try folder.status(of: name) else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    pending.append(next + [name])
                } else {
                    try body(File(folder: folder, name: name, path: Array((next + [name]).dropFirst(common))))
                }
                count += 1
                try await Turn.give(after: count)
            }
        }
    }

    private func named(
        _ paths: [String], besides isShared: FolderEraser.SharedFile?, _ body: (File) throws -> Void
    ) async throws {
        var seen: Set<FolderPath> = []
        for text in paths {
            try await Turn.give(after: seen.count)
            guard case .file(let path, _) = try FileAddress(text, root: self.path).find(way),
                seen.insert(path).inserted, let name = path.names.last,
                case .open(let folder) = try way(path.names.dropLast())
            else { continue }
            if let isShared, try await isShared(path.text) { continue }
            try body(File(folder: folder, name: name, path: path.names))
        }
    }

    private func way(_ names: some Sequence<FileName>) throws -> FolderLookup {
        try FolderLookup.down(names, from: root, within: boundary)
    }
}
