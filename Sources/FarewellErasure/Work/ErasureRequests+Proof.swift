// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Proofs that users have proved their identity again.
extension ErasureRequests {
    /// A fresh proof for a user who has just proved their identity again. The caller ensures that.
    public func stepUp(of subject: String, for action: StepUpAction) async throws -> StepUp {
        try await stepUp(of: subject, for: action, on: nil)
    }

    /// The same, valid only on this basis.
    package func stepUp(of subject: String, for action: StepUpAction, on basis: String?) async throws -> StepUp {
        let proof = StepUp.made(with: entropy, basis: basis)
        let record = proof.record(of: try engine.subjectHash(of: subject).rawValue, for: action)
        _ = try await run(control.requests.keep(record, seconds: StepUp.life))
        return proof
    }

    /// Uses a proof up: valid once, for one user and one action.
    ///
    /// - Throws: `erasure.step-up-invalid`.
    public func spend(_ proof: StepUp, of subject: String, for action: StepUpAction) async throws {
        let record = proof.record(of: try engine.subjectHash(of: subject).rawValue, for: action)
        guard try await run(control.requests.spend(record)) else { throw Self.invalidProof }
    }

    private static let invalidProof = FarewellError(
        "erasure.step-up-invalid", .yoursToFix,
        "The proof was already used, has expired, or is for another action, session or password.",
        remedy: "Confirm your identity again and use the new proof.")

    // MARK: Erasures

    /// The answer to an earlier request with the same proof; `nil` if the proof is not used up, or none is needed.
    ///
    /// - Throws: `erasure.step-up-invalid` for a proof that is not valid for an erasure of this subject, or if the
    ///   erasure that was accepted with it is cancelled.
    package func answered(byProof request: ErasureRequest, of subject: String) async throws -> ErasureAnswer? {
        guard request.proof != nil else { return nil }
        return try await answered(byProof: request, try engine.subjectHash(of: subject))
    }

    func answered(byProof request: ErasureRequest, _ hash: SubjectHash) async throws -> ErasureAnswer? {
        guard let proof = request.proofRecord(of: hash) else { return nil }
        switch try await run(control.requests.use(of: proof)) {
        case .unused?: return nil
        case .erasure(let id)?:
            guard let erasure = try await erasure(id), erasure.state != .cancelled else { throw Self.invalidProof }
            return try await handOut(request, for: erasure, hash, isKnown: true)
        case nil: throw Self.invalidProof
        }
    }

    /// Uses a proof up for an erasure that was accepted before: also then it is valid once.
    package func useProof(
        of request: ErasureRequest, by subject: String, for erasure: RequestedErasure
    ) async throws {
        guard let proof = request.proofRecord(of: try engine.subjectHash(of: subject)) else { return }
        _ = try await run(control.requests.use(proof, for: erasure.id))
    }
}

extension ErasureRequest {
    /// Its proof as it is kept.
    func proofRecord(of subject: SubjectHash) -> ProofRecord? {
        proof.map { $0.record(of: subject.rawValue, for: .requestErasure) }
    }
}
