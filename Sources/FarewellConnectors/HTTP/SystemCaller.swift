// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier

/// Calls one outside system on behalf of its connector: paced, bounded, and never taking an error for an answer.
package struct SystemCaller: Sendable {
    package let system: String
    package let world: ConnectorWorld
    private let pacing: Guarded<CallPacing>
    private let breaker = Guarded(CircuitBreaker())
    /// Seconds without calls to a system that answers 429 without a pause of its own.
    private static let breath = 1.0
    private static let longestRest = 60.0

    package init(_ system: String, budget: RateBudget, world: ConnectorWorld) {
        self.system = system
        self.world = world
        pacing = Guarded(CallPacing(budget))
    }

    /// Sends the call and returns the reply: success, or one of the statuses that the call accepts as answers.
    ///
    /// - Parameter sign: Completes the call at the moment of sending.
    /// - Throws: `ConnectorFault`; `CancellationError`.
    package func send(
        _ call: SystemCall, sign: (inout SystemCall) async throws -> Void = { _ in }
    ) async throws -> SystemReply {
        guard call.isPathSigned || !call.leadsElsewhere else {
            throw ConnectorFault.refused(
                system, "a name there is . or .., and an address with it may lead to something else")
        }
        if let wait = breaker.withLock({ $0.admit(at: world.uptime()) }) {
            throw ConnectorFault.passing(
                system, "it failed several times in a row and is paused for a while", retryAfter: wait)
        }
        let wait = pacing.withLock { $0.take(at: world.uptime()) }
        if wait > 0 { try await world.sleep(.seconds(wait)) }
        var call = call
        try await sign(&call)
        let reply: SystemReply
        do {
            reply = try await world.http.send(call)
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = error as? SendingFailure ?? .cut
            // A system that answers too much answers.
            breaker.withLock { failure == .tooLong ? $0.succeed() : $0.fail(at: world.uptime()) }
            throw fault(failure)
        }
        try judge(reply, call)
        return reply
    }

    /// The reason for a missing answer, and the remedy: the condition may be temporary, or a mistake in the plan.
    private func fault(_ failure: SendingFailure) -> ConnectorFault {
        let (what, remedy) =
            switch failure {
            case .tooLong: ("it is too long", "")
            case .late: ("no answer in time", "Check the address and the load of the system.")
            case .cut: ("no answer", "Check the address; another service may listen there.")
            case .unconnected(let failure): (failure.words, Self.remedy(failure))
            }
        guard failure != .tooLong else { return .tooLong(system) }
        var fault = ConnectorFault.passing(system, what)
        fault.error = FarewellError(fault.error.code, fault.error.family, fault.error.message, remedy: remedy)
        return fault
    }

    private static func remedy(_ failure: ConnectionFailure) -> String {
        switch failure {
        case .unresolved: "Check the address, region or bucket in the plan, and the DNS."
        case .refused: "Check the address and port in the plan, and whether the system runs."
        case .unreachable, .silent:
            "Check the address and port in the plan, and whether a firewall lets this machine connect there."
        case .unprotected: "Check the address: the port may be one without TLS (http, not https)."
        case .misnamed: "Check the host's name in the address, and the certificate's names."
        case .untrusted:
            "Check the address; make a private certificate authority known to this machine; check whether the "
                + "certificate has expired, and this machine's clock."
        case .handshake: "Check the address, and which versions of TLS the system takes."
        }
    }

    private func judge(_ reply: SystemReply, _ call: SystemCall) throws {
        guard !(200..<300).contains(reply.status) else { return breaker.withLock { $0.succeed() } }
        let told = call.reading(reply)
        let retryAfter = told.pause ?? reply.retryAfter(at: world.now())
        let status = told.status ?? reply.status
        let line = call.responses.line(status, code: told.code, message: told.message)
        if line.outcome == .later {
            // Other calls wait as well, in the order in which they came. Some services ask for patience under a status
            // that other errors have too.
            pacing.withLock { $0.rest(min(retryAfter ?? Self.breath, Self.longestRest), at: world.uptime()) }
        }
        guard !call.answers.contains(reply.status) else { return breaker.withLock { $0.succeed() } }
        let isTrouble = line.outcome == .again && (status >= 500 || status == 408 || status == 425)
        // A system that refuses answers.
        breaker.withLock { isTrouble ? $0.fail(at: world.uptime()) : $0.succeed() }
        var fault = line.outcome.fault(
            of: system, needs: call.permission, shown: told.code.isEmpty ? "status \(status)" : told.code,
            detail: told.detail, retryAfter: retryAfter)
        fault.isRepeated = told.isRepeated
        throw fault
    }
}
