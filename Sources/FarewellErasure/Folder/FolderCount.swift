// SPDX-License-Identifier: Apache-2.0

/// How much was found or erased below a root. Links and special files count as files of no size.
package struct FolderCount: Sendable, Hashable {
    package var files = 0
    package var folders = 0
    /// The files' sizes together, up to `mostBytes`; a file with several names counts at each.
    package var bytes = 0

    /// More than any subject has. Files that only claim to be large, such as sparse ones, are not added up beyond it.
    static let mostBytes = 1 << 51

    package init(files: Int = 0, folders: Int = 0, bytes: Int = 0) {
        self.files = files
        self.folders = folders
        self.bytes = bytes
    }

    package var isEmpty: Bool { files == 0 && folders == 0 }

    mutating func add(fileOf size: Int) {
        files += 1
        bytes = min(bytes + min(size, Self.mostBytes), Self.mostBytes)
    }
}

/// The result of an erasure below a root. Only its numbers may enter a log.
package struct FolderOutcome: Sendable, Hashable {
    package var erased = FolderCount()
    /// Files left because another subject's data names them too.
    package var shared = 0
    /// Erased files of which another name (a hard link) remains elsewhere, so that their bytes remain too.
    package var otherNames = 0
    package var refused: [FolderRefusal] = []

    package init() {}

    /// Whether none of the requested files is left, as far as this erasure knows. `verify` checks it.
    package var isComplete: Bool { shared == 0 && otherNames == 0 && refused.isEmpty }
}
