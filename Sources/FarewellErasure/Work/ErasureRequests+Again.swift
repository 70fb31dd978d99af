// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Repeated requests.
extension ErasureRequests {
    /// The earlier answer to the same subject under the same idempotency key; `nil` if there was none.
    ///
    /// - Throws: `erasure.key-reused`.
    public func repeated(_ subject: String, _ request: ErasureRequest) async throws -> ErasureAnswer? {
        try requireRecognition()
        guard let key = try? SubjectResolver(prepared: engine.prepared).key(subject) else { return nil }
        return try await answered(engine.context(ErasureOptions()).subjectHash(key), request)
    }

    /// The same, or otherwise the state of the subject's newest erasure, for users whose account may be deleted.
    public func recall(_ subject: String, _ request: ErasureRequest) async throws -> ErasureAnswer? {
        if let before = try await repeated(subject, request) { return before }
        guard let latest = try await latest(of: subject) else { return nil }
        return try await handOut(request, for: latest, try engine.subjectHash(of: subject), isKnown: true)
    }

    /// The same for a subject without any data; `nil` while there is data, or if no erasure was ever begun.
    public func recallGone(_ subject: String, _ request: ErasureRequest) async throws -> ErasureAnswer? {
        try requireRecognition()
        guard engine.unfit == nil else { return nil }
        guard let key = try? SubjectResolver(prepared: engine.prepared).key(subject) else { return nil }
        let isThere = try await recognised(key) != nil
        // A plan that was found not to fit just now may miss the rows of a subject.
        guard !isThere, engine.unfit == nil, let answer = try await recall(subject, request) else { return nil }
        return answer.erasure.state.isBegun ? answer : nil
    }

    /// Releases an erasure that is parked because of a third-party system; any other stays as it is.
    ///
    /// Its subject has asked again, and the system may be repaired meanwhile: otherwise it is parked again.
    public func retrySystems(of erasure: RequestedErasure) async throws -> RequestedErasure {
        guard erasure.state == .needsAttention, erasure.status.waitsForSystem else { return erasure }
        let pauses = engine.context(ErasureOptions()).askedPauses
        let isReleased = try await engine.database.transaction { connection in
            guard try await control.requests.release(erasure.id).run(on: connection) != nil else { return false }
            // It may be parked because of one system while another one has asked for a pause.
            let seconds = try await pauses.seconds(of: erasure.id, besides: [], on: connection)
            if seconds > 0 { try await connection.run(control.leases.endPause(of: erasure.id, after: seconds)) }
            return true
        }
        guard isReleased else { return erasure }
        await wake()
        return try await self.erasure(erasure.id) ?? erasure
    }

    /// Whether an erasure is about this subject.
    public func isAbout(_ erasure: RequestedErasure, _ subject: String) async throws -> Bool {
        (try? engine.subjectHash(of: subject).rawValue) == erasure.status.erasure.subjectHash
    }

    /// The sealed subject of an erasure, as long as it is kept for receivers of events.
    package func subject(of erasure: RequestedErasure) async throws -> String? {
        let record = erasure.status.erasure
        guard let identity = try await run(control.identities.identity(of: record.id)) else { return nil }
        return try SubjectSeal.opened(identity.restored(in: record), keys: engine.keys).subject.key.text
    }

    /// The finished erasures whose end an endpoint has not received: the delivery is pending, failed, or the
    /// subject is still kept.
    package func undelivered(
        _ endpoint: String, among erasures: [RequestedErasure]
    ) async throws -> [RequestedErasure] {
        let ended = erasures.filter { $0.state == .done }
        guard !ended.isEmpty else { return [] }
        let undelivered = try await run(control.identities.undelivered(ended.map(\.id), endpoint: endpoint))
        return ended.filter { undelivered.contains($0.id) }
    }

    // MARK: Dead letters

    /// Events that could not be delivered, the newest hundred.
    public func deadLetters() async throws -> [DeadLetter] {
        try await run(control.outbox.deadLetters(limit: 100))
    }

    /// Whether an incoming event was processed before.
    package func wasReceived(_ identifier: String, from issuer: String) async throws -> Bool {
        try await run(control.outbox.received(identifier, from: issuer))
    }

    /// Records that an incoming event is being processed.
    ///
    /// - Returns: whether it is the first time.
    package func receive(_ identifier: String, from issuer: String) async throws -> Bool {
        let noted = control.outbox.receive(identifier, from: issuer, at: engine.environment.now())
        return try await run(noted)
    }
}

extension ErasureState {
    /// Whether there is no way back any more.
    package var isBegun: Bool { ![.requested, .grace, .cancelled].contains(self) }
}
