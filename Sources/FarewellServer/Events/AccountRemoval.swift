// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import Foundation

/// Where the plan is about another database than the accounts', the account goes last, by way of the outbox: tried for
/// as long as it takes, and visible where it cannot be done. Everything else is carried on to `others`.
struct AccountRemoval: EventCourier {
    let authority: SessionAuthority
    let others: HTTPCourier?

    /// The name in the outbox.
    private static let name = "accounts"

    var endpoints: [EventEndpoint] {
        [EventEndpoint(name: Self.name, kinds: [.done], needsSubject: true)] + (others?.endpoints ?? [])
    }

    func deliver(_ event: OutgoingEvent, to endpoint: String) async throws(DeliveryFailure) {
        guard endpoint == Self.name else {
            guard let others else { throw DeliveryFailure("the endpoint is no longer configured", isFinal: true) }
            return try await others.deliver(event, to: endpoint)
        }
        // People of other issuers have no account here.
        guard let user = event.subject.flatMap(UUID.init(text:)) else { return }
        do {
            try await authority.deleteUser(user)
        } catch {
            let code = (error as? FarewellError)?.code.rawValue ?? "\(type(of: error))"
            guard code == "auth.user_not_found" else { throw DeliveryFailure("the account stays: \(code)") }
        }
    }
}
