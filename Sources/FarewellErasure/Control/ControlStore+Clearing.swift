// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ControlStore {
    /// Clears away what is over: used-up proofs, others' events, own events that everybody has.
    ///
    /// - Parameter endpoints: Those that are told for as long as it takes.
    func clear(eventsBefore past: Date, owedTo endpoints: [String] = []) -> [SQLStatement] {
        [
            openEnded,
            SQLStatement("DELETE FROM \(stepUps) WHERE expires_at < \(fromNow("0"))"),
            SQLStatement("DELETE FROM \(received) WHERE received_at < $1", [.timestamp(past)]),
            outbox.dropEvents(before: past), identities.drop(owedTo: endpoints),
        ]
    }
}
