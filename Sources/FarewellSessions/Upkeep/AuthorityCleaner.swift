// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Deletes expired data.
struct AuthorityCleaner: AuthorityPart {
    let context: AuthorityContext
    let signingKeys: SigningKeys
    let unusedSignUps: UnusedSignUps

    /// Deletes expired data: entries of the feed older than any token, sessions that expired a day ago, attempts of
    /// past windows, signing keys whose last token has expired, sign-ups unused for a day, and new addresses (perhaps
    /// another user's) that were not confirmed for a day. A thousand of each kind at a time. Deletes nothing while this
    /// process's clock cannot be trusted.
    func prune() async throws {
        guard let now = try await clock.decisive() else { return }
        // For a day a device learns that its session has expired, not that there is none.
        let yesterday = now.addingTimeInterval(-86_400)
        let statements = [
            // An access token lives a day at most (`AuthoritySettings.accessTokenLife`); an hour more for clocks.
            store.revocations.prune(before: now.addingTimeInterval(-90_000), now: now),
            store.sessions.prune(now: yesterday, idleSince: settings.lifetime.idleSince(yesterday)),
            store.attempts.prune(
                before: now.addingTimeInterval(
                    -max(settings.attempts.window / .seconds(1), AttemptRule.longestWindow))),
            store.knownSources.prune(before: now.addingTimeInterval(-KnownSourceStore.life)),
            store.codes.prune(before: now.addingTimeInterval(-MailRequest.life)),
            // For five minutes more an app learns that its code has expired, not that there is none.
            store.authorizationCodes.prune(before: now.addingTimeInterval(-2 * AuthorizationCodeStore.life)),
            // Warnings are tried for a day; the deliverer gives up expired codes.
            store.mail.prune(before: yesterday),
            store.consoleSessions.prune(now: now), store.users.withdrawAddresses(before: yesterday),
            store.signUps.pruneDeclined(before: SignUpStore.declined(since: now)),
        ]
        for statement in statements {
            var affected = 1000
            while affected >= 1000 {
                affected = try await database.run(statement).affected
            }
        }
        try await signingKeys.prune(now: now)
        try await unusedSignUps.prune(before: yesterday)
    }
}
