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
    private let root: OpenFolder
    private let boundary: FolderBoundary
    private let isShared: FolderEraser.SharedFile?
    private var outcome = FolderOutcome()
    private var names = FileNames()
    /// Somebody else's as well; a file that is named twice is one.
    private var kept: Set<FolderPath> = []
    /// The folder of the last file, held while files of the same folder follow.
    private var current: (path: ArraySlice<FileName>, folder: OpenFolder)?

    init(root path: String, isShared: FolderEraser.SharedFile?) throws {
        root = try OpenFolder.root(path)
        boundary = try FolderBoundary(root)
        self.isShared = isShared
    }

    func remove(_ paths: [String]) async throws -> FolderOutcome {
        // In order, so that files of one folder come together: it is opened and brought to disk once.
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
        guard !text.isEmpty else { return .empty }
        guard let path = FolderPath(file: text), let name = path.names.last else { return .unsafe }
        let folder: OpenFolder
        switch try way(path.names.dropLast()) {
        case .missing: return nil
        case .throughLink: return .throughLink
        case .throughFile: return .throughFile
        case .open(let open): folder = open
        }
        guard let status = try folder.status(of: name) else { return nil }
        guard status.st_mode & S_IFMT != S_IFDIR else { return .folder }
        if let isShared, try await isShared(text) {
            kept.insert(path)
            return nil
        }
        switch try folder.removeFile(name) {
        case .otherKind: return .folder
        case .gone, .notEmpty: return nil
        case .removed: break
        }
        names.removed(status)
        outcome.erased.add(fileOf: FolderSurvey.size(status))
        return nil
    }

    private func way(_ path: ArraySlice<FileName>) throws -> FolderWay {
        if let current, current.path == path { return .open(current.folder) }
        try current?.folder.sync()
        current = nil
        let way = try FolderWay.down(path, from: root, within: boundary)
        if case .open(let folder) = way { current = (path, folder) }
        return way
    }
}
