// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The code of docs/adopting/firebase.md, compiled.
struct FirebaseGuide {
    let apiKey = "key"
    let backend = URL(filePath: "/")

    func provider() -> FirebaseProvider {
        let provider = FirebaseProvider(
            apiKey: apiKey, deletingBy: DeletionEndpoint("POST", backend.appending(path: "delete-account")),
            endingBy: SignOutEndpoint(backend.appending(path: "sign-out")), policy: .clearAnyway)
        return provider
    }

    func signIn(_ device: FarewellDevice, _ provider: FirebaseProvider, email: String, password: Token) async throws {
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(email: email, password: password)
        }
    }

    func deletion(_ device: FarewellDevice) async throws {
        do {
            _ = try await device.deleteAccount()
        } catch let error as FarewellError where error.code == "device.recent-sign-in-needed" {
            try await device.reauthenticate { () async throws(ProviderFailure) in try await signInAgain() }
            _ = try await device.deleteAccount()
        }
    }

    // MARK: The reader's own code

    @Sendable private func signInAgain() async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        try await provider().signIn(email: "anna@example.org", password: Token("password"))
    }
}
