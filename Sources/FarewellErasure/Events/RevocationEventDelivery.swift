// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// An entry of the revocation feed as it is carried to somebody else.
package struct OutgoingRevocation: Sendable, Hashable {
    /// The same whenever it is told again: who is told may count on that.
    package let id: String
    package let entry: Revocation

    package init(_ entry: Revocation) {
        let whose = entry.sessionID.map { "session/\($0.text)" } ?? "sessions/\(entry.subject.text)"
        id = "\(whose)/\(entry.cursor)"
        self.entry = entry
    }
}

/// Tells others that sessions have ended. Called as often as it takes, with the same entry and the same identifier.
package protocol RevocationEventDelivery: Sendable {
    /// Who is told, by names; another name is another reader.
    var readers: [String] { get }

    /// Tells the reader of this name. Throws `DeliveryFailure` when it was not taken.
    func tell(_ told: OutgoingRevocation, to reader: String) async throws(DeliveryFailure)
}
