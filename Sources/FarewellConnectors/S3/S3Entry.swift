// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A version, a delete marker or an upload in progress: whatever S3 holds under a key.
struct S3Entry: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case version, upload }

    var key: String
    /// Of the version, or of the upload.
    var id: String
    var kind = Kind.version
    /// Of a version: its entity tag as the list has it.
    var tag: String?
    /// Of a version: differs where the contents differ; `nil` if the list does not say enough.
    var mark: String?
}
