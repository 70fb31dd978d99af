// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Carries events to others. Called as often as it takes, with the same event and the same identifier.
public protocol EventDelivery: Sendable {
    /// The receivers and their events.
    var endpoints: [EventEndpoint] { get }

    /// Delivers one event to the endpoint of this name. Throws `DeliveryFailure` when it was not taken.
    func deliver(_ event: OutgoingEvent, to endpoint: String) async throws(DeliveryFailure)
}
