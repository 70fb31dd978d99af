// SPDX-License-Identifier: Apache-2.0

import Farewell

/// An entry of the revocation feed in its delivered form.
package struct OutgoingRevocation: Sendable, Hashable {
    /// The same at every delivery: receivers may rely on that.
    package let id: String
    package let entry: Revocation

    package init(_ entry: Revocation) {
        let whose = entry.sessionID.map { "session/\($0.text)" } ?? "sessions/\(entry.subject.text)"
        id = "\(whose)/\(entry.cursor)"
        self.entry = entry
    }
}
