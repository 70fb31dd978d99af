// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Farewell's server confirms a proof by `/v1/step-ups`. A Supabase server has no such address: there a new session
/// of the same user is the confirmation.
extension FarewellProvider: IdentityProving {
    public func proofs(of user: DeviceUser) -> [IdentityProof.Kind] {
        var proofs: [IdentityProof.Kind] = []
        let providers = user.providers
        if user.appleUserID != nil || providers?.contains("apple") == true { proofs.append(.apple) }
        guard user.email != nil else { return proofs }
        // Older sessions do not say how the account signs in.
        if providers?.contains("email") ?? proofs.isEmpty { proofs.append(.password) }
        proofs.append(.mailedCode)
        return proofs
    }

    public func mailCode(to user: DeviceUser) async throws(ProviderFailure) {
        let answer = try await transport.ask(
            try .json("POST", auth("recover"), fields: fields, ["email": .string(try Self.address(user))]))
        guard answer.isSuccess else { throw FarewellRefusal(answer).failure(at: .other) }
    }

    public func confirm(
        _ proof: IdentityProof, of session: DeviceSession
    ) async throws(ProviderFailure) -> IdentityConfirmation {
        try await confirm(proof, of: session, for: "request erasure")
    }

    /// - Parameter action: The one act for which a proof is valid, in the server's word.
    func confirm(
        _ proof: IdentityProof, of session: DeviceSession, for action: String
    ) async throws(ProviderFailure) -> IdentityConfirmation {
        var body: [String: JSONValue] = ["action": .string(action)]
        switch proof {
        case .mailedCode(let code):
            let email = try Self.address(session.user)
            return .session(
                try await granted(
                    "verify",
                    ["type": "recovery", "email": .string(email), "token": .string(code.reveal { $0 })],
                    appleUserID: session.user.appleUserID))
        case .password(let password): body["password"] = .string(password.reveal { $0 })
        case .identityToken(let token, let issuer, let nonce):
            body["id_token"] = .string(token.reveal { $0 })
            body["provider"] = .string(issuer)
            body["nonce"] = nonce.map(JSONValue.string)
        }
        let answer = try await asked("POST", "v1/step-ups", session, body, alsoFine: 404)
        if answer.status == 404 { return .session(try await signedInAgain(proof, session)) }
        guard let token = answer.json?["step_up"]?.string, !token.isEmpty else {
            throw .unavailable(FarewellError("device.odd-answer", .tryAgain, "The answer to a proof cannot be read."))
        }
        return .stepUp(Token(token))
    }

    private func signedInAgain(
        _ proof: IdentityProof, _ session: DeviceSession
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        switch proof {
        case .identityToken(let token, let issuer, let nonce):
            return try await signIn(
                identityToken: token, from: issuer, nonce: nonce, appleUserID: session.user.appleUserID)
        case .password(let secret), .mailedCode(let secret):
            return try await signIn(email: try Self.address(session.user), password: secret)
        }
    }

    private static func address(_ user: DeviceUser) throws(ProviderFailure) -> String {
        guard let email = user.email else {
            throw .refused(FarewellError("device.no-address", .yoursToFix, "This account has no address."))
        }
        return email
    }
}
