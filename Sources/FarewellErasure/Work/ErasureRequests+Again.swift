// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// What is asked when somebody asks again.
extension ErasureRequests {
    /// What was answered before to the same person under the same idempotency key; `nil` when nothing was.
    ///
    /// - Throws: `erasure.key-reused`.
    public func repeated(_ subject: String, _ asking: ErasureRequest) async throws -> ErasureAnswer? {
        try requireRecognition()
        guard let key = try? SubjectResolver(prepared: engine.prepared).key(subject) else { return nil }
        return try await answered(engine.context(ErasureOptions()).subjectHash(key), asking)
    }

    /// The same, or else how the subject's newest erasure stands, for those whose account may be gone.
    public func recall(_ subject: String, _ asking: ErasureRequest) async throws -> ErasureAnswer? {
        if let before = try await repeated(subject, asking) { return before }
        guard let latest = try await latest(of: subject) else { return nil }
        return try await handOut(asking, for: latest, try engine.subjectHash(of: subject), isKnown: true)
    }

    /// The same for somebody of whom nothing is there; `nil` while something is, or where nothing was ever begun.
    public func recallGone(_ subject: String, _ asking: ErasureRequest) async throws -> ErasureAnswer? {
        try requireRecognition()
        guard engine.unfit == nil else { return nil }
        let resolver = SubjectResolver(prepared: engine.prepared)
        guard let key = try? resolver.key(subject) else { return nil }
        let found = try await engine.database.withConnection { try await resolver.resolve([key], .recognised, on: $0) }
        guard found[key] == nil, let answer = try await recall(subject, asking) else { return nil }
        return answer.erasure.state.isBegun ? answer : nil
    }

    /// Lets an erasure go on that is parked for the sake of a system of somebody else; any other stays as it is.
    ///
    /// Its person has asked again, and the system may have been mended meanwhile: if it was not, it is parked again.
    public func goOn(_ erasure: RequestedErasure) async throws -> RequestedErasure {
        guard erasure.state == .needsAttention, erasure.status.waitsForSystem else { return erasure }
        guard try await run(control.requests.release(erasure.id)) != nil else { return erasure }
        await wake()
        return try await self.erasure(erasure.id) ?? erasure
    }

    /// Whether an erasure is about this subject.
    public func isAbout(_ erasure: RequestedErasure, _ subject: String) async throws -> Bool {
        (try? engine.subjectHash(of: subject).rawValue) == erasure.status.erasure.subjectHash
    }

    /// Whom an erasure is about, as long as that is kept, sealed, for those who have to be told.
    package func subject(of erasure: RequestedErasure) async throws -> String? {
        let record = erasure.status.erasure
        guard let identity = try await run(control.identities.identity(of: record.id)) else { return nil }
        return try SubjectSeal.opened(identity.restored(in: record), keys: engine.keys).subject.key.text
    }

    /// Those of some erasures that have ended without an endpoint having been told: it is still to be, could not be, or
    /// it is kept whom they are about.
    package func untold(_ endpoint: String, among erasures: [RequestedErasure]) async throws -> [RequestedErasure] {
        let ended = erasures.filter { $0.state == .done }
        guard !ended.isEmpty else { return [] }
        let untold = try await run(control.identities.untold(ended.map(\.id), endpoint: endpoint))
        return ended.filter { untold.contains($0.id) }
    }

    // MARK: Dead letters

    /// Events that could not be delivered, the newest hundred.
    public func deadLetters() async throws -> [DeadLetter] {
        try await run(control.outbox.deadLetters(limit: 100))
    }

    /// Whether an event of somebody else was dealt with before.
    package func wasReceived(_ identifier: String, from issuer: String) async throws -> Bool {
        try await run(control.outbox.received(identifier, from: issuer))
    }

    /// Notes that an event of somebody else is being dealt with.
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
