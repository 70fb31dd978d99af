// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import FarewellSQL
@testable import FarewellSessions
import Foundation
import Testing

extension Purposes {
    /// The codes that links of mails give to apps, which the authority looks up.
    var authorizationCodes: [Purpose] {
        let context = mount.server.authority.context
        let (exchange, user) = (mount.server.authority.parts.codeExchange, UUID(uuidString: person.id))
        return MailPurpose.allCases.filter(\.bringsCode).map { purpose in
            Purpose("authorization code after \(purpose.rawValue)") {
                let owner = try #require(user)
                let challenge = context.keys.hash(of: CodeChallenge(ofVerifier: String(repeating: "v", count: 43)))
                return try await context.database.withConnection { connection in
                    try await exchange.issue(to: owner, purpose, challenge: challenge, on: connection)
                }
            } accepts: { text in
                let found = context.store.authorizationCodes.find(context.keys.hash(ofAuthorizationCode: text))
                guard let stored = try await found.run(in: context.database) else { return false }
                return stored.user == user && stored.purpose == purpose
            }
        }
    }
}
