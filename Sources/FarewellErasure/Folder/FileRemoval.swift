// SPDX-License-Identifier: Apache-2.0
import Farewell

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Removes single files by their paths relative to a root.
final class FileRemoval {
    private let path: String
    private let root: OpenFolder
    private let boundary: FolderBoundary
    private let isShared: FolderEraser.SharedFile?
    private var outcome = FolderOutcome()
    private var names = FileNames()
    /// Files that also belong to another subject; a file that is named twice counts once.
    private var kept: Set<FolderPath> = []
    /// The folder of the last file, held while files of the same folder follow.
    private var current: (path: ArraySlice<FileName>, folder: OpenFolder)?

    init(root path: String, isShared: FolderEraser.SharedFile?) throws {
        self.path = path
        root = try OpenFolder.root(path)
        boundary = try FolderBoundary(root)
        self.isShared = isShared
    }

    func remove(_ paths: [String]) async throws -> FolderOutcome {
        // In order, so that files of one folder are adjacent: it is opened and synced to disk once.
        for (index, path) in paths.enumerated().sorted(by: { ($0.element, $0.offset) < ($1.element, $1.offset) }) {
            if let reason = try await remove(path) {
                outcome.refused.append(FolderRefusal(index: index, reason: reason))
            }
            try await Turn.give(after: index)
        }
        try current?.folder.sync()
        current = nil
        outcome.refused.sort { $0.index < $1.index }
        outcome.otherNames = names.withOthers
        outcome.shared = kept.count
        return outcome
    }

    private func remove(_ text: String) async throws -> FolderRefusal.Reason? {
        let found: (path: FolderPath, status: stat)
        switch try FileAddress(text, root: path).find(way) {
        case .missing: return nil
        case .refused(let reason): return reason
        case .file(let path, let status): found = (path, status)
        }
        if let isShared, try await isShared(found.path.text) {
            kept.insert(found.path)
            return nil
        }
        // Once more, so that this folder is the one that is held.
        guard let name = found.path.names.last, case .open(let folder) = try way(found.path.names.dropLast()) else {
            return nil
        }
        switch try folder.removeFile(name) {
        case .otherKind: return .folder
        case .gone, .notEmpty: return nil
        case .removed: break
        }
        names.removed(found.status)
        outcome.erased.add(fileOf: FolderSurvey.size(found.status))
        return nil
    }

    private func way(_ path: ArraySlice<FileName>) throws -> FolderLookup {
        if let current, current.path == path { return .open(current.folder) }
        try current?.folder.sync()
        current = nil
        let way = try FolderLookup.down(path, from: root, within: boundary)
        if case .open(let folder) = way { current = (path, folder) }
        return way
    }
}
