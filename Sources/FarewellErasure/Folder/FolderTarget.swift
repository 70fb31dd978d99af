// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The files below a root that belong to one subject.
package enum FolderTarget: Sendable, Hashable {
    /// Everything below one folder: a template such as `{subject}/` or `users/{subject}/photos`, and the subject's key
    /// as text.
    case folder(template: String, subject: String)
    /// Files by their paths relative to the root, as a table names them.
    case files([String])
}
