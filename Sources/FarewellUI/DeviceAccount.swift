// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient

/// The screens' service on a device that is signed in to a Farewell server.
public struct DeviceAccount: AccountService {
    private let device: FarewellDevice
    private let provider: FarewellProvider

    public init(_ device: FarewellDevice, _ provider: FarewellProvider) {
        self.device = device
        self.provider = provider
    }

    public func signOut(_ scope: SignOutScope) async throws { try await device.signOut(scope) }

    public func deleteAccount(
        _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionProgress {
        try await device.deleteAccount(progress: progress).server
    }

    public func sessions() async throws -> [ListedSession] {
        let provider = provider
        return try await device.perform { try await provider.sessions(of: $0) }
    }

    public func endSession(_ id: String) async throws {
        let provider = provider
        try await device.perform { try await provider.end(id, of: $0) }
    }

    public func confirm(password: String) async throws {
        let (provider, email) = (provider, try await device.session.user.email ?? "")
        try await device.reauthenticate { () async throws(ProviderFailure) in
            try await provider.signIn(email: email, password: Token(password))
        }
    }
}
