// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import Foundation

/// Checks whether a user has proved their identity recently, and issues proofs for one act.
struct SubjectProof: Sendable {
    let requests: ErasureRequests
    let authority: SessionAuthority
    let now: @Sendable () -> Date

    /// How a user shows again who they are.
    enum Confirmation: Sendable {
        case password(String)
        case identityToken(IdentityTokenRequest)
    }

    static let stale = FarewellError(
        "erasure.sign-in-stale", .yoursToFix, "Sign in again to confirm that it is you.",
        remedy: "Sign in again, or get a proof from /v1/step-ups and send it as X-Farewell-Step-Up.")

    /// Requires a recent sign-in, or a proof for this one act.
    ///
    /// - Throws: `erasure.sign-in-stale`, `erasure.step-up-invalid`.
    func require(of person: ErasurePerson, _ credentials: ErasureCredentials, for action: StepUpAction) async throws {
        guard let proof = try await needed(of: person, credentials, for: action) else { return }
        try await requests.spend(proof, of: person.subject, for: action)
    }

    /// The proof that the act must use up; nil if the sign-in suffices. It is the caller's own session's, under the
    /// present password.
    ///
    /// - Throws: `erasure.sign-in-stale`.
    func needed(
        of person: ErasurePerson, _ credentials: ErasureCredentials, for action: StepUpAction
    ) async throws -> StepUp? {
        guard requests.rules.recentSignIn > 0 else { return nil }
        if let proof = credentials.stepUp, !proof.isEmpty {
            guard let caller = person.caller else { return StepUp(proof) }
            return StepUp(proof, basis: try await authority.basis(ofProofsBy: caller))
        }
        guard isRecent(person) else { throw stale(person, for: action) }
        return nil
    }

    /// Whether `require` may refuse this user, or uses a proof up.
    func mayRefuse(_ person: ErasurePerson, _ credentials: ErasureCredentials) -> Bool {
        guard requests.rules.recentSignIn > 0 else { return false }
        return credentials.stepUp?.isEmpty == false || !isRecent(person)
    }

    /// The app's next action: nothing was done, and nothing was lost on the way.
    private func stale(_ person: ErasurePerson, for action: StepUpAction) -> FarewellError {
        guard person.caller == nil else { return Self.stale }
        let (done, next) =
            action == .requestExport ? ("exported", "request your data") : ("deleted", "delete your account")
        guard person.provedAt != nil else {
            return FarewellError(
                Self.stale.code, .yoursToFix,
                "Nothing was \(done): your token does not contain the time of your sign-in.",
                remedy: "The issuer's tokens need auth_time or amr; without them set erasures.recent-sign-in to 0.")
        }
        return FarewellError(
            Self.stale.code, .yoursToFix,
            "Nothing was \(done): please sign in again to confirm that it is you, then \(next).",
            remedy: """
                Let the user sign in again with the same service, and within \(requests.rules.recentSignIn) seconds \
                repeat the call with the new session's access token. A refreshed token is not enough.
                """)
    }

    /// Whether the user has proved their identity recently enough. An anonymous one has only their session, and could
    /// never prove it again.
    func isRecent(_ person: ErasurePerson) -> Bool {
        let limit = requests.rules.recentSignIn
        guard limit > 0, !person.isAnonymous else { return true }
        let now = now()
        guard let provedAt = person.provedAt else { return false }
        return now.timeIntervalSince(provedAt) <= Double(limit) && provedAt.timeIntervalSince(now) <= 60
    }

    /// The caller, if this server's own authority issued the token: they can prove their identity again.
    ///
    /// - Throws: `erasure.sign-in-stale` for a user of another issuer.
    func caller(of person: ErasurePerson) throws -> Caller {
        guard let caller = person.caller else {
            throw FarewellError(
                "erasure.sign-in-stale", .yoursToFix, "Sign in again with the same service.",
                remedy: "A fresh token of your issuer is the proof.")
        }
        return caller
    }

    /// A fresh proof for a caller who shows again who they are.
    ///
    /// - Throws: `auth.invalid_credentials`.
    func stepUp(
        of caller: Caller, for action: StepUpAction, by confirmation: Confirmation
    ) async throws -> StepUp {
        let isConfirmed =
            switch confirmation {
            case .password(let password): try await authority.confirm(password, of: caller)
            case .identityToken(let request):
                try await authority.confirm(
                    request, of: caller,
                    since: now().addingTimeInterval(-Double(max(requests.rules.recentSignIn, 60))))
            }
        guard isConfirmed else {
            throw FarewellError("auth.invalid_credentials", .yoursToFix, "Invalid login credentials")
        }
        let basis = try await authority.basis(ofProofsBy: caller)
        return try await requests.stepUp(of: caller.user.id.text, for: action, on: basis)
    }
}
