// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSessions

/// The operator at the console: a role, and a name that contains no address.
struct Operator: Sendable, Hashable {
    let role: Role
    /// A keyed hash of the identity with which the operator signs in.
    let name: String

    /// The acts that an operator may do.
    enum Role: String, Sendable, Hashable {
        /// See everything and change nothing.
        case looks = "look"
        /// Also hold, end a hold, and deliver again.
        case operates = "operate"

        var mayAct: Bool { self == .operates }
    }

    init(role: Role, name: String) {
        self.role = role
        self.name = name
    }

    /// The operator of a session; nil for a role that no longer exists.
    init?(_ session: ConsoleSession) {
        guard let role = Role(rawValue: session.role) else { return nil }
        self.init(role: role, name: session.name)
    }

    /// The name in the audit log.
    var actor: String { "console:\(name)" }
}
