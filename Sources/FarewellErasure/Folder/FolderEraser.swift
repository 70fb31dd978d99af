// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Counts, erases and reads back one subject's files below a root folder.
///
/// Every step of a path is taken from an open folder by its handle and never through a symbolic link, so
/// that nothing outside the root can be reached, whatever is swapped meanwhile. Memory does not grow with
/// the number of files. Repeating a call is harmless. An error never counts as "not there".
///
/// The calls to the file system block for as long as the disk takes; between files other tasks get their
/// turn, and a cancelled task ends with `CancellationError`.
package struct FolderEraser: Sendable {
    /// Whether a file, by its path relative to the root, also belongs to another subject.
    package typealias SharedFile = @Sendable (_ path: String) async throws -> Bool

    package let root: String

    /// `root` is an existing folder, absolute or relative to the working directory.
    package init(root: String) { self.root = root }

    /// The files that `erase` would delete; changes nothing. Paths that would be refused count as nothing, and a file
    /// that is named twice counts once.
    ///
    /// - Parameter isShared: Called for each existing file that a path names; files for which it returns true do not
    ///   count.
    package func preview(_ target: FolderTarget, isShared: SharedFile? = nil) async throws -> FolderCount {
        switch target {
        case .folder(let template, let subject):
            let path = try FolderPath(template: template, subject: subject)
            return try await FolderSurvey(root: root).count(path.names)
        case .files(let paths):
            return try await FolderSurvey(root: root).look(files: paths, besides: isShared).count
        }
    }

    /// The same, with why paths are not followed.
    package func examine(
        _ target: FolderTarget, isShared: SharedFile? = nil
    ) async throws -> (count: FolderCount, refused: [FolderRefusal.Reason]) {
        guard case .files(let paths) = target else { return (try await preview(target, isShared: isShared), []) }
        return try await FolderSurvey(root: root).look(files: paths, besides: isShared)
    }

    /// Deletes the subject's files; the deletion is on disk when it returns.
    ///
    /// `isShared` is called before each file; files for which it returns true stay and are counted.
    package func erase(_ target: FolderTarget, isShared: SharedFile? = nil) async throws -> FolderOutcome {
        switch target {
        case .folder(let template, let subject):
            let path = try FolderPath(template: template, subject: subject)
            let removal = try FolderRemoval(root: root, isShared: isShared)
            return try await removal.remove(path)
        case .files(let paths):
            let removal = try FileRemoval(root: root, isShared: isShared)
            return try await removal.remove(paths)
        }
    }

    /// The remaining files, found by resolving the whole path again instead of by the handles that erased.
    package func verify(_ target: FolderTarget) async throws -> FolderCount {
        let survey = try FolderSurvey(root: root)
        switch target {
        case .folder(let template, let subject):
            let path = try FolderPath(template: template, subject: subject)
            guard try survey.status(at: path.names) != nil else { return FolderCount() }
            let count = try await survey.count(path.names)
            // Something of that name that is no folder, such as a link, still counts as left.
            return count.isEmpty ? FolderCount(files: 1) : count
        case .files(let paths):
            var left = FolderCount()
            var seen: Set<FolderPath> = []
            for text in paths {
                if let (path, status) = try survey.status(of: text), seen.insert(path).inserted {
                    left.add(fileOf: FolderSurvey.size(status))
                }
                try await Turn.give(after: left.files)
            }
            return left
        }
    }
}

/// Lets other tasks run now and then in a long loop of system calls.
enum Turn {
    static func give(after count: Int) async throws {
        guard count.isMultiple(of: 256) else { return }
        try Task.checkCancellation()
        await Task.yield()
    }
}
