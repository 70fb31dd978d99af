// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Foundation

/// The screens' service on a device, with the device's provider: unsupported functions are hidden.
public struct DeviceAccount: AccountService {
    private let device: FarewellDevice
    private let apple: (any AppleIdentityProving)?

    /// - Parameter apple: Shows Apple's sheet when a user must prove their identity; `nil` offers no proof by Apple.
    public init(_ device: FarewellDevice, apple: (any AppleIdentityProving)?) {
        self.device = device
        self.apple = apple
    }

    /// With this system's Sign in with Apple, if it has that.
    public init(_ device: FarewellDevice) {
        #if canImport(AuthenticationServices) && !os(watchOS)
        self.init(device, apple: LiveAppleIdentity())
        #else
        self.init(device, apple: nil)
        #endif
    }

    /// The same; the provider is the device's.
    public init(_ device: FarewellDevice, _ provider: FarewellProvider) { self.init(device) }

    public var scopes: Set<SignOutScope> { device.provider.scopes }
    public var listsSessions: Bool { device.provider is any SessionListing }

    @discardableResult
    public func signOut(_ scope: SignOutScope) async throws -> SignOutResult { try await device.signOut(scope) }

    public func deleteAccount(
        proof: Token?, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        try await device.deleteAccount(proof: proof, progress: progress)
    }

    // MARK: Sessions

    public func sessions() async throws -> [ListedSession] {
        let listing = try listing
        return try await device.perform { try await listing.sessions(of: $0) }
    }

    public func endSession(_ id: String) async throws {
        let listing = try listing
        try await device.perform { try await listing.end(id, of: $0) }
    }

    private var listing: any SessionListing {
        get throws {
            guard let listing = device.provider as? any SessionListing else {
                throw FarewellError("device.sessions-unsupported", .yoursToFix, "This provider lists no sessions.")
            }
            return listing
        }
    }

    // MARK: Proof

    public func proofs() async -> [IdentityProof.Kind] {
        let proofs = await device.identityProofs
        return apple == nil ? proofs.filter { $0 != .apple } : proofs
    }

    public func sendCode() async throws { try await device.mailIdentityCode() }

    public func confirm(_ proof: AccountProof) async throws -> Token? {
        try await device.confirmIdentity(try await identityProof(proof))
    }

    private func identityProof(_ proof: AccountProof) async throws -> IdentityProof {
        switch proof {
        case .password(let text): return .password(Token(text))
        case .mailedCode(let text): return .mailedCode(Token(text))
        case .apple:
            guard let apple else { throw FarewellError.proofCancelled }
            // A fresh nonce each time: a copied token proves nothing.
            let nonce = try AppleNonce()
            let identity = try await apple.identity(hashedNonce: nonce.hashed)
            return .identityToken(identity.identityToken, issuer: "apple", nonce: nonce.text)
        }
    }

    // MARK: The user's data

    public var exportsData: Bool { device.exportsData }

    /// An export that the user requested before, on this device or another one, is downloaded instead of a new one.
    public func exportData(
        proof: Token?, _ progress: @escaping @Sendable (DataExport) -> Void
    ) async throws -> URL {
        do {
            return try await device.exportData(proof: proof, progress: progress)
        } catch let error as FarewellError where error.code == FarewellError.exportLive.code {
            return try await device.resumeExport(proof: proof, progress: progress)
        }
    }

    public func confirmExport(_ proof: AccountProof) async throws -> Token? {
        try await device.confirmExport(try await identityProof(proof))
    }

    public var exportedData: URL? { device.exportedData }
    public func removeExportedData() async { try? await device.removeExportedData() }
}
