// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ControlStore {
    /// Deletes expired data: used proofs, received events, own events that all receivers have.
    ///
    /// - Parameter endpoints: Those that are tried without a time limit.
    func clear(eventsBefore past: Date, owedTo endpoints: [String] = [], areAddressed: Bool = false) -> [SQLStatement] {
        [
            openEnded,
            SQLStatement("DELETE FROM \(stepUps) WHERE expires_at < \(fromNow("0"))"),
            SQLStatement("DELETE FROM \(received) WHERE received_at < $1", [.timestamp(past)]),
            outbox.dropEvents(before: past), identities.drop(owedTo: endpoints, areAddressed: areAddressed),
        ]
    }
}
