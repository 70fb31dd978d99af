// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Reports to others that sessions have ended. Called as often as it takes, with the same entry and the same
/// identifier.
package protocol RevocationEventDelivery: Sendable {
    /// The receivers, by names; another name is another reader.
    var readers: [String] { get }

    /// Reports it to the reader of this name. Throws `DeliveryFailure` when it was not taken.
    func report(_ revocation: OutgoingRevocation, to reader: String) async throws(DeliveryFailure)
}
