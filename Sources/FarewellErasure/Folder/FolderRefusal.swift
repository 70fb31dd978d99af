// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A path of the caller's that is not followed, and why. The file, if there is one, stays.
package struct FolderRefusal: Sendable, Hashable {
    /// The position in the list of paths that was given.
    package let index: Int
    package let reason: Reason

    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The path is empty: it names no file.
        case empty
        /// It names only the root, or holds `..`, a zero byte or a part of more than 255 bytes.
        case unsafe
        /// It is an address, or begins with `/`, and leads to no file below the root.
        case elsewhere
        /// It may name several existing files.
        case ambiguous
        /// It is no file's name, but a part of it is: a list or a document with several names.
        case list
        /// A folder on the way is a symbolic link.
        case throughLink = "through a link"
        /// A part on the way is a file, so that the path cannot exist.
        case throughFile = "through a file"
        /// It names a folder: only files are named by paths.
        case folder
    }
}
