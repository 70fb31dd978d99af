// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// A session that is still to be ended at the server. Holds a credential that can do this one thing.
public struct SessionRevocation: Sendable, Equatable {
    public let ticket: Token
    public let scope: SignOutScope

    public init(ticket: Token, scope: SignOutScope) {
        self.ticket = ticket
        self.scope = scope
    }
}
