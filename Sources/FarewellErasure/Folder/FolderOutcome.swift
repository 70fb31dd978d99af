// SPDX-License-Identifier: Apache-2.0

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
