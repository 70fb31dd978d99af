// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Farewell

@Suite("Users in the contract's shape")
struct UserCodingTests {
    static let created = Date(timeIntervalSince1970: 1_763_726_400.125)

    static var anna: User {
        var user = User(
            id: UUID(uuidString: "0D9A7A5E-6D4F-4D0C-9B43-5B1B8B8C1E11") ?? UUID(), email: "anna@example.org",
            appMetadata: ["provider": "email", "providers": .array(["email"])],
            userMetadata: ["age": 41, "score": .number(1.5), "tags": .array([.null, true]), "more": .object(["a": "b"])],
            createdAt: created, updatedAt: created)
        user.emailConfirmedAt = created
        user.bannedUntil = created + 60
        user.identities = [
            UserIdentity(
                id: UUID(), userID: user.id, provider: "email", providerID: "x", data: ["email": "anna@example.org"],
                createdAt: created, updatedAt: created)
        ]
        return user
    }

    @Test("a user is written as the contract's clients read it, and reads back the same")
    func round() throws {
        let anna = Self.anna
        let data = try CanonicalJSON.data(anna)
        #expect(try JSONDecoder().decode(User.self, from: data) == anna.withIdentitySignIn)
        let text = String(decoding: data, as: UTF8.self)
        for part in [
            #""id":"0d9a7a5e-6d4f-4d0c-9b43-5b1b8b8c1e11""#, #""aud":"authenticated""#, #""phone":"""#,
            #""created_at":"2025-11-21T12:00:00.125Z""#, #""confirmed_at":"2025-11-21T12:00:00.125Z""#,
            #""is_anonymous":false"#, #""app_metadata":{"provider":"email","providers":["email"]}"#,
            #""user_metadata":{"age":41,"more":{"a":"b"},"score":1.5,"tags":[null,true]}"#, #""identity_id":"#,
        ] { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("deleted_at") && !text.contains("new_email"))
    }

    @Test(
        "instants are read with any offset and any number of digits",
        arguments: [
            ("2025-11-21T12:00:00Z", 1_763_726_400), ("2025-11-21T13:00:00.25+01:00", 1_763_726_400.25),
            ("2025-11-21 12:00:00.123456+00", 1_763_726_400.123456), ("2025-11-21T06:30:00-05:30", 1_763_726_400),
            ("2025-11-21", nil), ("2025-11-21T12:00:00", nil), ("2025-11-21T25:00:00Z", nil), ("", nil),
            ("2025-02-30T12:00:00Z", nil), ("2025-11-21T12:00:00.Z", nil), ("2025-11-21T12:00:00Zx", nil),
        ] as [(String, Double?)])
    func instants(text: String, seconds: Double?) {
        let found = RFC3339.date(text)?.timeIntervalSince1970
        switch (found, seconds) {
        case (let found?, let seconds?): #expect(abs(found - seconds) < 0.000_001)
        default: #expect(found == nil && seconds == nil)
        }
    }
}

extension User {
    /// The contract always names a last sign-in of an identity.
    fileprivate var withIdentitySignIn: User {
        var user = self
        for index in user.identities.indices { user.identities[index].lastSignInAt = user.identities[index].createdAt }
        return user
    }
}
