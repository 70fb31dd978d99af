// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension AuthoritySettings {
    /// The roles of users who sign in or not, and of tokens that name none.
    private static let ofEveryUser: Set = ["authenticated", "anon", ""]

    /// Throws `authority.bad-setting` for what cannot work.
    package func check() throws {
        func refuse(_ what: String, _ remedy: String) -> FarewellError {
            FarewellError("authority.bad-setting", .yoursToFix, what, remedy: remedy)
        }
        guard !issuer.isEmpty else { throw refuse("The issuer of tokens has no name.", "Give its address.") }
        guard administratorRoles.isDisjoint(with: Self.ofEveryUser) else {
            throw refuse(
                "A role of all users cannot administer users.", "Name a separate role, such as service_role.")
        }
        guard accessTokenLife >= .seconds(1), accessTokenLife <= .seconds(86_400) else {
            throw refuse("An access token may live from a second to a day.", "An hour is usual.")
        }
        guard passwordCost.isSupported else {
            throw refuse("The cost of password hashes is out of bounds.", "logN 15, blockSize 8, parallelism 3.")
        }
        let durations = [lifetime.inactivity, lifetime.absolute].compactMap(\.self) + [attempts.window, feedPoll]
        guard durations.allSatisfy({ $0 > .zero }), reuseInterval >= .zero, keyPublication >= .zero else {
            throw refuse("A duration is zero or negative.", "Leave it out, or give a positive one.")
        }
        guard attempts.attempts > 0, attempts.perSource > 0, metadataLimit > 0 else {
            throw refuse("A limit is zero or negative.", "Give a positive number.")
        }
        guard identityProviders.allSatisfy({ !$0.issuers.isEmpty }),
            Set(identityProviders.map(\.name)).count == identityProviders.count
        else { throw refuse("An identity provider has no issuer, or is named twice.", "Name each once.") }
    }
}
