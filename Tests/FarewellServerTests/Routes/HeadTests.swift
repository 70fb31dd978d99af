// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

@Suite("HEAD")
struct HeadTests {
    /// Takes every mail, and forgets it.
    private struct Forgetful: MailSending {
        func send(_ mail: Mail) async throws {}
    }

    @Test("SC-4 HEAD for a path whose GET has an effect has none, and is answered 405")
    func effects() async throws {
        try await ErasureMount.with(isWorking: .off, mail: Forgetful(), pages: PageSettings()) { mount in
            let person = try await mount.person()
            func wanted() async throws -> Int64? {
                let counters = SQLStatement("SELECT count(*) FROM auth_password_attempts")
                return try await mount.database.withConnection { try await $0.run(counters).scalar?.integer }
            }
            let before = try await wanted()
            for path in ["/auth/v1/reauthenticate", "/account/delete"] {
                let head = try await mount.ask(.head, path, token: person.token)
                #expect(head.status == 405 && head.headers[.allow]?.hasPrefix("GET, ") == true, "\(path) \(head)")
                #expect(head.text.isEmpty)
            }
            #expect(try await wanted() == before, "no mail is counted")
            #expect(try await mount.ask(.get, "/auth/v1/reauthenticate", token: person.token).status == 200)
            #expect(try await wanted() != before)
            #expect(try await mount.ask(.head, "/auth/v1/user", token: person.token).status == 200)
        }
    }

    @Test("Allow names HEAD for a path that answers it, and only for such a path")
    func allowed() async throws {
        try await ErasureMount.with(isWorking: .off, mail: Forgetful()) { mount in
            let paths = [
                "/auth/v1/health": "GET, HEAD, OPTIONS", "/v1/erasures": "GET, HEAD, POST, OPTIONS",
                "/auth/v1/reauthenticate": "GET, OPTIONS", "/v1/revocations": "GET, OPTIONS", "/v1/sign-out": "POST, OPTIONS",
            ]
            for (path, allowed) in paths {
                let refused = try await mount.ask(.patch, path)
                #expect(refused.status == 405 && refused.headers[.allow] == allowed, "\(path) \(refused.headers)")
            }
        }
    }
}
