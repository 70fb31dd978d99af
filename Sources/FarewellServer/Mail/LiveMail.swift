// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSessions
import FarewellVerifier
import Foundation

/// The mail sender of the settings, and the resources to close after it.
struct LiveMail: Sendable {
    let sender: any MailSending
    private let client = OwnHTTPClient()

    init?(_ settings: MailSettings?, _ environment: EngineEnvironment) {
        switch settings {
        case nil: return nil
        case .hook(let address, let secrets, let site, let landing):
            sender = MailHook(
                address: address, secrets: secrets, site: site, landing: landing, now: environment.now, client: client)
        case .command(let words, let from, let site, let landing):
            sender = MailCommand(
                words: words, from: from, site: site, landing: landing, now: environment.now,
                deadline: Deadline(limit: .seconds(30), sleep: environment.sleep))
        }
    }

    func close() async { try? await client.close() }
}
