// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A version, a delete marker or an upload in progress: whatever S3 holds under a key.
struct S3Entry: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case version
        /// The object itself, in a service that lists no versions.
        case object
        case upload
    }

    var key: String
    /// The identifier of the version or of the upload; empty for an object.
    var id: String
    var kind = Kind.version
    /// The entity tag of a version, as the list has it.
    var tag: String?
    /// A mark of a version's contents: it differs where they differ; `nil` if the list does not say enough.
    var mark: String?

    /// The parameters by which a call means this entry alone.
    var selector: [(String, String)] {
        switch kind {
        case .version: [("versionId", id)]
        case .object: []
        case .upload: [("uploadId", id)]
        }
    }

    /// The right to read it.
    var readingRight: String { kind == .object ? "s3:GetObject" : "s3:GetObjectVersion" }

    /// The right to delete it.
    var deletingRight: String {
        switch kind {
        case .version: "s3:DeleteObjectVersion"
        case .object: "s3:DeleteObject"
        case .upload: "s3:AbortMultipartUpload"
        }
    }
}
