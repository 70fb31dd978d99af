// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A version, a delete marker or an upload in progress: whatever S3 holds under a key.
struct S3Entry: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case version, upload }

    var key: String
    /// The identifier of the version or of the upload.
    var id: String
    var kind = Kind.version
    /// The entity tag of a version, as the list has it.
    var tag: String?
    /// A mark of a version's contents: it differs where they differ; `nil` if the list does not say enough.
    var mark: String?
}
