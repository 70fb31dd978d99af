// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The root of a folder of the plan, before anything is erased there.
package struct FolderRoot: Sendable {
    private let path: String

    /// - Parameter base: The folder from which a relative root counts.
    package init(_ folder: FolderPlan, base: String) {
        path =
            folder.root.hasPrefix("/")
            ? folder.root
            : URL(fileURLWithPath: base).appendingPathComponent(folder.root).standardizedFileURL.path
    }

    /// Changes nothing.
    ///
    /// - Returns: Whether it has any entry.
    /// - Throws: `folder.root-missing`, `folder.root-not-a-folder`, `folder.read-only`; errors of the disk.
    package func look() throws -> Bool {
        let root = try OpenFolder.root(path)
        guard access(path, W_OK | X_OK) == 0 else {
            throw FarewellError(
                "folder.read-only", .yoursToFix, "The root of a folder store cannot be changed by this user.",
                remedy: "Grant this user the right to write there, or run Farewell as another user.")
        }
        return try root.next() != nil
    }
}
