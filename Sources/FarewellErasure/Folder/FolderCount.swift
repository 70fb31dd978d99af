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
