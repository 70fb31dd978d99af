// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Sign-up at a public server whose settings do not mention confirmation")
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

    private static func signUp(
        _ email: String, _ server: RunningServer, _ headers: [String: String]
    ) async throws -> ServerAnswer {
        try await server.ask(
            .POST, "/auth/v1/signup", json: #"{"email":"\#(email)","password":"a long password"}"#, headers: headers)
    }

    @Test(
        "SC-3 SRV-05 without an issuer, sign-up through a proxy that passes on this machine's address is refused with the remedy",
        arguments: ["X-Forwarded-For", "x-forwarded-proto", "Forwarded", "Via", "X-Real-IP"])
    func behindProxy(_ field: String) async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous) { server in
                let here = try await Self.signUp("here@example.org", server, [:])
                #expect(here.status == 200 && here.json["access_token"] != nil, "\(here)")
                // The same answer for an address that is taken and for one that is not.
                for email in ["here@example.org", "other@example.org"] {
                    let refused = try await Self.signUp(email, server, [field: "192.0.2.7"])
                    #expect(refused.status == 422 && refused.code == "signup_disabled", "\(refused)")
                }
            }
            #expect(try String(contentsOf: place.log, encoding: .utf8).contains("Set tokens.issuer to the public address"))
            let chosen = ServerPlace.generous.replacing("tries:", with: "email-confirmation: automatic, tries:")
            try await place.serving(chosen) { server in
                let third = try await Self.signUp("third@example.org", server, [field: "192.0.2.7"])
                #expect(third.status == 200, "\(third)")
            }
        }
    }

    @Test("SC-3 SRV-05 the log at the start and doctor report that an operator chose sign-up without confirmation")
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
