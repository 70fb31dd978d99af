// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Checks the codes that users received by mail.
struct CodeCheck: AuthorityPart {
    let context: AuthorityContext
    let counter: AttemptCounter

    /// The code that a proof shows; each attempt is stored, also one without an account.
    func matched(
        _ purpose: MailPurpose, _ proof: CodeProof, _ source: CallerSource
    ) async throws -> SentCode? {
        let oldest = environment.now().addingTimeInterval(-MailRequest.life)
        switch proof {
        case .token(let token):
            let hash = keys.hash(ofMailToken: token)
            return try await store.codes.find(token: hash, purpose, oldest: oldest).run(in: database)
        case .code(let code, let email):
            guard code.utf8.count <= 64 else { return nil }
            let address = try AccountRules.address(email)
            let source = keys.hashes(of: source)
            let knownSince = environment.now().addingTimeInterval(-KnownSourceStore.life)
            let attempt = store.codes.attempt(
                purpose, address: address, from: source, oldest: oldest, knownSince: knownSince)
            let (_, tries) = try await counter.countAttempt(
                .code, of: address, from: source, then: StoreQueries(attempt))
            for tried in tries {
                let presented = keys.hash(ofCode: code, purpose, address: address, user: tried.user)
                if ConstantTime.isEqual(presented, tried.code) {
                    return SentCode(user: tried.user, token: tried.token, challenge: nil)
                }
            }
            return nil
        }
    }

    /// The hash of the token of the caller's code for another password, if the code is right; it is not yet used up.
    ///
    /// - Parameter code: The digits, which are valid in the session that requested them, or the token of the link.
    /// - Throws: `reauthentication_not_valid`.
    func check(code: String, of caller: Caller) async throws -> [UInt8] {
        let (user, oldest) = (caller.user, environment.now().addingTimeInterval(-MailRequest.life))
        let token = keys.hash(ofMailToken: code)
        let sent = store.codes.find(token: token, .reauthentication, oldest: oldest)
        let attempt = store.codes.attempt(
            .reauthentication, of: user.id, from: keys.hash(ofSessionOf: caller), oldest: oldest)
        let (known, tries) = try await StoreQueries(sent, attempt) { ($0, $1) }.run(in: database)
        if known?.user == user.id { return token }
        let presented = keys.hash(ofCode: code, .reauthentication, address: user.email ?? "", user: user.id)
        for tried in tries where ConstantTime.isEqual(presented, tried.code) {
            return tried.token
        }
        throw AuthorityRefusal.reauthenticationNotValid.error
    }
}
