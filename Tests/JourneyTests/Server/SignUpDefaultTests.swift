// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Sign-up at a public server whose settings say nothing of confirmation")
struct SignUpDefaultTests {
    private static let issuer = "tokens: {issuer: 'https://id.example.org/auth/v1'}\n"

    @Test("SC-3 SRV-05 a stranger's sign-up gets the same answer for a taken address as for a new one")
    func sameAnswer() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous + Self.issuer) { server in
                let taken = "taken@example.org"
                let made = try await server.ask(
                    .POST, "/auth/v1/admin/users", token: server.serviceKey(),
                    json: #"{"email":"\#(taken)","password":"\#(SignedIn.password)","email_confirm":true}"#)
                #expect(made.status == 200, "\(made)")
                var shapes: [[String]] = []
                for email in [taken, "new@example.org"] {
                    let answer = try await server.ask(
                        .POST, "/auth/v1/signup", json: #"{"email":"\#(email)","password":"another long password"}"#)
                    #expect(answer.status == 200 && answer.json["email"] as? String == email, "\(answer)")
                    shapes.append(answer.json.keys.sorted())
                }
                #expect(shapes[0] == shapes[1])
                #expect(!shapes[0].contains("access_token"))
            }
            #expect(try String(contentsOf: place.log, encoding: .utf8).contains("only operators can confirm"))
        }
    }

    @Test("SC-3 SRV-05 chosen by an operator, sign-up without confirmation is named by the log at the start and by doctor")
    func chosen() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let settings = Self.issuer + "people: {email-confirmation: automatic, password-cost: 10}\n"
            try await place.serving(settings) { server in
                let mine = try await server.person()
                #expect(try await server.isAccepted(mine.access))
            }
            #expect(try String(contentsOf: place.log, encoding: .utf8).contains("tells every caller whether an address"))
            let end = try await place.call(
                ["doctor", "--database", place.address, "--json"],
                environment: [
                    "FAREWELL_TOKENS_ISSUER": "https://id.example.org/auth/v1", "FAREWELL_PEOPLE_EMAIL_CONFIRMATION": "automatic",
                ])
            #expect(end.output.contains("tells every caller whether an address"), "\(end)")
        }
    }
}
