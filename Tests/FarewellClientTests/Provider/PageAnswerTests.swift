// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Pages in the place of answers")
struct PageAnswerTests {
    private static let session = ProviderTests.session()

    @Test(
        "AD-6 SE-5 SE-10 a page with status 200 neither deletes an account nor ends a session, at any provider",
        arguments: ["<html>Welcome to the hotel</html>", "\r\n <!DOCTYPE html>"])
    func pages(_ page: String) async throws {
        let root = ProviderTests.root
        let endpoint = DeletionEndpoint("DELETE", root)
        func transport() -> ScriptedTransport { ScriptedTransport(Array(repeating: (200, page), count: 2)) }
        let providers: [any SessionProvider] = [
            FarewellProvider(root, transport: transport()), FarewellProvider(root, deletingBy: endpoint, transport: transport()),
            CognitoProvider(root, clientID: "c", transport: transport()),
            FirebaseProvider(
                apiKey: "k", endingBy: SignOutEndpoint(root), identity: root, secureToken: root, transport: transport()),
        ]
        for provider in providers {
            let deleting = await failure { () async throws(ProviderFailure) in
                try await provider.requestDeletion(of: Self.session, ProviderTests.intent)
            }
            let leaving = await failure { () async throws(ProviderFailure) in
                try await provider.signOut(Self.session, scope: .global)
            }
            #expect(deleting?.kind == "unavailable" && leaving?.kind == "unavailable", "\(provider.name): \(String(describing: deleting))")
        }
        let told = FarewellProvider(root, transport: transport())
        let revocation = try #require(told.revocation(of: Self.session, scope: .local))
        let delivering = await failure { () async throws(ProviderFailure) in try await told.deliver(revocation) }
        #expect(delivering?.kind == "unavailable")
    }
}
