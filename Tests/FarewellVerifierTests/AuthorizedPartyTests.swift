// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("The party that an operator's identity token was issued to")
struct AuthorizedPartyTests {
    private static func trial() throws -> Trial {
        Trial(
            testDescription: "OpenID sign-in", key: try .rsa("console"),
            claims: Trial.times(["iss": "https://id.example.org", "aud": "console", "sub": "op1", "nonce": "n"])
        ) { try .identity("https://id.example.org", keys: $0, client: "console") }
    }

    /// - Parameter party: `nil` leaves `azp` out.
    private func isAccepted(_ audience: JSONValue, _ party: JSONValue?) async throws -> Bool {
        let trial = try Self.trial()
        var claims = trial.claims
        claims["aud"] = audience
        claims["azp"] = party
        do {
            _ = try await trial.verifier().verify(try trial.token(trial.header, claims))
            return true
        } catch let refusal as TokenRefusal {
            #expect(refusal == .audience)
            return false
        }
    }

    @Test("SV-6 SC-1 an identity token of a sign-in is accepted only by the client that it was issued to")
    func party() async throws {
        for audience in ["console", .array(["console"])] as [JSONValue] {
            #expect(try await isAccepted(audience, nil))
            #expect(try await isAccepted(audience, "console"))
        }
        #expect(try await isAccepted(.array(["console", "api"]), "console"))
        for (audience, party) in [
            ("console", "api"), (.array(["console"]), "Console"), (.array(["console", "api"]), nil), (.array(["console", "api"]), "api"),
            (.array(["api", "other"]), "console"), ("api", "console"), ("console", .array(["console"])), ("console", .null),
            ("console", ""), (.array(["console", "console"]), nil),
        ] as [(JSONValue, JSONValue?)] {
            #expect(try await !isAccepted(audience, party), "\(audience) \(String(describing: party))")
        }
    }
}
