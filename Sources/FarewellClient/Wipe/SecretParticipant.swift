// SPDX-License-Identifier: Apache-2.0

/// A secret that the app keeps beside the session, in the Keychain, the Secret Service or an encrypted file.
///
/// The Keychain outlives the app. After the app was removed and installed again, the first sign-in clears such a secret
/// (`.onSignOut` and `.onDeletion`), because it may be another user's. Until then the app can read it, unless it is in
/// a `SealedTokenStore`, which no later installation can open.
public struct SecretParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    private let store: any TokenStore

    public init(
        _ name: String, in store: any TokenStore, holds: String = "a secret", clears: Clearing = .onSignOut
    ) {
        self.name = name
        self.store = store
        self.holds = holds
        self.clears = clears
    }

    public func clear(_ occasion: WipeOccasion) async throws { try store.remove() }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        switch store.read() {
        case .absent: []
        case .present: ["a secret in \(store.name)"]
        case .unknown(let error): throw error
        }
    }
}
