// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting

/// The network, on which the n-th call from now meets a fault.
actor FaultySending: HTTPSending {
    private let network: any HTTPSending
    private var fault: InjectedFault?
    private var from = 0
    private var isLasting = false
    private var answered: [String: SystemReply] = [:]
    private(set) var calls = 0
    /// Everything that was sent, for tests that look at it.
    private(set) var sent: [SystemCall] = []
    /// Answers a call in place of the network, where it wants to.
    private var instead: (@Sendable (SystemCall, any HTTPSending) async throws -> SystemReply?)?

    /// One network for all tests, open until the process ends.
    static let network = LiveHTTPSending(timeout: .seconds(120))

    init(_ network: any HTTPSending = FaultySending.network) { self.network = network }

    func inject(_ fault: InjectedFault?, at call: Int, lasting: Bool) {
        self.fault = fault
        from = call
        isLasting = lasting
        calls = 0
        answered = [:]
        sent = []
    }

    func answer(_ instead: (@Sendable (SystemCall, any HTTPSending) async throws -> SystemReply?)?) {
        self.instead = instead
    }

    func close() async throws {}

    func send(_ call: SystemCall) async throws -> SystemReply {
        let number = calls
        calls += 1
        sent.append(call)
        RequestRecord.current?.add(call)
        let isMet = isLasting ? number >= from : number == from
        guard let fault, isMet else { return try await pass(call) }
        switch fault {
        case .broken: return SystemReply(status: 500, headers: ["content-type": "text/html"], body: Array("oops".utf8))
        case .throttled: return SystemReply(status: 429, headers: ["retry-after": "1"])
        case .lateBefore: throw SendingFailure.late
        case .lateAfter:
            _ = try await pass(call)
            throw SendingFailure.late
        case .endless: return try await HostileServer.running.get().answer(call, by: "/long", within: .seconds(60))
        case .drip: return try await HostileServer.running.get().answer(call, by: "/drip", within: .milliseconds(200))
        case .malformed:
            return SystemReply(
                status: 200, headers: ["content-type": "text/html"], body: Array("<html><p>All is well</html>".utf8))
        case .unknownKey, .noRight:
            return SystemReply(
                status: fault == .noRight ? 403 : 401, headers: ["content-type": "application/json"],
                body: Array("{}".utf8))
        case .stale: return try await stale(call)
        case .killedBefore: throw CancellationError()
        case .killedAfter:
            _ = try await pass(call)
            throw CancellationError()
        }
    }

    private func stale(_ call: SystemCall) async throws -> SystemReply {
        if let before = answered[Self.text(of: call)] { return before }
        return try await pass(call)
    }

    private func pass(_ call: SystemCall) async throws -> SystemReply {
        if let reply = try await instead?(call, network) { return reply }
        let reply = try await network.send(call)
        answered[Self.text(of: call)] = reply
        return reply
    }

    private static func text(of call: SystemCall) -> String {
        let target = call.headers.first { $0.name == "x-amz-target" }?.value ?? ""
        return "\(call.method) \(call.url) \(target) \(String(decoding: call.body, as: UTF8.self))"
    }
}

extension ConnectorWorld {
    /// A world whose clock runs a hundred seconds at every look, so that nothing waits.
    static func hurried(_ http: any HTTPSending, environment: [String: String] = [:]) -> ConnectorWorld {
        let uptime = Guarded(0.0)
        return ConnectorWorld(
            http: http, now: { 1_800_000_000 },
            uptime: {
                uptime.withLock {
                    $0 += 100
                    return $0
                }
            }, sleep: { _ in }, environment: environment, read: { _ in nil },
            resolve: { host, _ in host == "127.0.0.1" ? host : nil })
    }
}
