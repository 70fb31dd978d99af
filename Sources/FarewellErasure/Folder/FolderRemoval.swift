// SPDX-License-Identifier: Apache-2.0
import Farewell

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Removes a tree below a root, from the leaves up.
final class FolderRemoval {
    private let root: OpenFolder
    private let boundary: FolderBoundary
    private let isShared: FolderEraser.SharedFile?
    private var outcome = FolderOutcome()
    private var names = FileNames()
    private var seen = 0

    init(root path: String, isShared: FolderEraser.SharedFile?) throws {
        root = try OpenFolder.root(path)
        boundary = try FolderBoundary(root)
        self.isShared = isShared
    }

    func remove(_ path: FolderPath) async throws -> FolderOutcome {
        var pending = [path.names]
        var finished: Set<[FileName]> = []
        // Trees deeper than the number of folders held open are removed from below first, then read again.
        while let next = pending.last {
            let deeper = try await tree(next).filter { !finished.contains($0) }
            if deeper.isEmpty {
                finished.insert(next)
                pending.removeLast()
            } else {
                pending += deeper
            }
        }
        try removeEmptied(path)
        outcome.otherNames = names.withOthers
        outcome.shared = names.shared
        return outcome
    }

    /// Removes one tree; returns the folders that are too deep for this pass.
    private func tree(_ path: [FileName]) async throws -> [[FileName]] {
        guard let name = path.last, let parent = try open(path.dropLast()) else { return [] }
        var deeper: [[FileName]] = []
        try await remove(name, in: parent, path, depth: 1, &deeper)
        try parent.sync()
        return deeper
    }

    private func remove(
        _ name: FileName, in parent: OpenFolder, _ path: [FileName], depth: Int, _ deeper: inout [[FileName]]
    ) async throws {
        // Again when the name changed its kind between two calls: a folder swapped for a link, or back.
        for _ in 0..<16 {
            guard let status = try parent.status(of: name) else { return }
            if status.st_mode & S_IFMT != S_IFDIR {
                if try await removeFile(name, in: parent, path, status) { return }
                continue
            }
            guard depth <= FolderSurvey.depth else { return deeper.append(path) }
            guard let folder = try parent.folder(name) else { continue }
            try boundary.check(folder)
            try await empty(folder, path, depth: depth, &deeper)
            switch try parent.removeFolder(name) {
            case .removed: return outcome.erased.folders += 1
            case .gone, .notEmpty: return
            case .otherKind: continue
            }
        }
    }

    /// Goes through a folder until a pass removes nothing: a listing may skip names while others are removed.
    private func empty(_ folder: OpenFolder, _ path: [FileName], depth: Int, _ deeper: inout [[FileName]]) async throws
    {
        var passes = 0
        var before: FolderCount
        repeat {
            before = outcome.erased
            let known = deeper.count
            folder.rewind()
            while let name = try folder.next() {
                try await remove(name, in: folder, path + [name], depth: depth + 1, &deeper)
                seen += 1
                try await Turn.give(after: seen)
            }
            passes += 1
            if deeper.count > known { return }
            // The reading back finds a program that keeps writing, so that no endless loop is needed here.
        } while outcome.erased != before && passes < 32
    }

    /// Whether the name is settled: removed, missing or kept. Not if it has become a folder.
    private func removeFile(
        _ name: FileName, in parent: OpenFolder, _ path: [FileName], _ status: stat
    ) async throws -> Bool {
        if let isShared, try await isShared(path.map(\.text).joined(separator: "/")) {
            names.keep(status)
            return true
        }
        switch try parent.removeFile(name) {
        case .otherKind: return false
        case .gone, .notEmpty: return true
        case .removed:
            names.removed(status)
            outcome.erased.add(fileOf: FolderSurvey.size(status))
            return true
        }
    }

    /// Folders on the way that have the subject's key as a name are removed too, once they are empty.
    private func removeEmptied(_ path: FolderPath) throws {
        for end in stride(from: path.names.count - 1, to: path.common, by: -1) {
            guard let parent = try open(path.names[..<(end - 1)]) else { continue }
            guard case .removed = try parent.removeFolder(path.names[end - 1]) else { return }
            outcome.erased.folders += 1
            try parent.sync()
        }
    }

    private func open(_ path: ArraySlice<FileName>) throws -> OpenFolder? {
        try FolderLookup.down(path, from: root, within: boundary).folder
    }
}
