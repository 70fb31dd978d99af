// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The parts of a bucket that its service does not list. Amazon's own lists all of them.
///
/// Services of S3's protocol that lack `ListObjectVersions` answer 501 or 405, or take the request for a list of
/// objects. `docs/systems/README.md` names those that were considered.
struct S3Unlisted: Sendable, Hashable {
    /// The knowledge about versions that are not listed.
    enum Versions: Sendable, Hashable {
        /// The service says that the bucket keeps none.
        case notKept
        /// The service does not say so, or says that it does not make new ones.
        case unknown
    }

    /// `nil` if versions are listed.
    var versions: Versions?
    /// Uploads in progress are not listed.
    var uploads = false

    /// The listed parts, in words.
    var listed: String {
        let entries = versions == nil ? "versions" : "objects"
        return uploads ? entries : "\(entries) and uploads"
    }

    /// The unlisted parts, for the operator.
    var doubt: String {
        let parts = (versions == nil ? [] : ["versions"]) + (uploads ? ["uploads in progress"] : [])
        return parts.isEmpty ? "" : "; the service does not list \(parts.joined(separator: " or "))"
    }

    /// For the receipt.
    func remarks(about system: String) -> [ReceiptNote] {
        var notes: [String] = []
        switch versions {
        case nil: break
        case .notKept: notes.append("The service lists no versions of objects, and says that it keeps none.")
        case .unknown:
            notes.append("The service does not list versions of objects, so earlier versions were not read.")
        }
        if uploads { notes.append("The service does not list uploads in progress, so they were not read.") }
        return notes.map { ReceiptNote(about: system, note: $0) }
    }
}
