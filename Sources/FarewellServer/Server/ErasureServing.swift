// SPDX-License-Identifier: Apache-2.0

public import FarewellErasure
public import FarewellVerifier

/// The parts of a server that accept erasures: the requests, and the proofs of identity.
public struct ErasureServing: Sendable {
    let requests: ErasureRequests
    let engine: ErasureEngine
    let foreign: TokenVerifier?
    /// The longest a call waits for an erasure to end, in seconds.
    let wait: Int
    private let names: [String: String]
    let appleEvents: AppleEvents?
    let eventKey: [String: String]?
    /// Checks that accounts are deleted and removes remaining ones; nil if another program does.
    let accounts: AccountRemoval?
    /// Exports of users for themselves; nil offers none.
    let exports: ExportRequests?

    /// - Parameters:
    ///   - foreign: Checks tokens of other issuers that are trusted to name subjects of the plan; nil trusts none.
    ///   - wait: The longest a call waits for an erasure to end, in seconds.
    ///   - systems: Names in the answer of `DELETE /me/account`, each with the step or table it stands for; without
    ///     any they are the plan's steps.
    public init(
        _ requests: ErasureRequests, engine: ErasureEngine, foreign: TokenVerifier? = nil, wait: Int = 8,
        systems: [String: String] = [:]
    ) {
        self.init(
            requests, engine: engine, foreign: foreign, wait: wait, systems: systems, appleEvents: nil, eventKey: nil,
            accounts: nil)
    }

    init(
        _ requests: ErasureRequests, engine: ErasureEngine, foreign: TokenVerifier?, wait: Int,
        systems: [String: String],
        appleEvents: AppleEvents?, eventKey: [String: String]?, accounts: AccountRemoval?,
        exports: ExportRequests? = nil
    ) {
        self.requests = requests
        self.engine = engine
        self.foreign = foreign
        self.wait = wait
        names = systems
        self.appleEvents = appleEvents
        self.eventKey = eventKey
        self.accounts = accounts
        self.exports = exports
    }

    /// By the plan of now.
    var systems: AccountSystems { AccountSystems(named: names, plan: engine.plan) }
}
