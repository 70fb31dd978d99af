// SPDX-License-Identifier: Apache-2.0
#if canImport(AuthenticationServices) && !os(watchOS)
public import AuthenticationServices
import Farewell
import Foundation

/// Sign in with Apple on this system.
public struct LiveAppleIdentity: AppleIdentityProving {
    private let anchor: @Sendable @MainActor () -> ASPresentationAnchor?

    /// - Parameter anchor: The window that the sheet belongs to; without one the system chooses.
    public init(anchor: @escaping @Sendable @MainActor () -> ASPresentationAnchor? = { nil }) { self.anchor = anchor }

    public func identity(hashedNonce: String) async throws -> AppleIdentity {
        try await AppleSheet(anchor).answer(hashedNonce)
    }
}

/// One sheet and its answer.
@MainActor
private final class AppleSheet: NSObject, @MainActor ASAuthorizationControllerDelegate {
    private let anchor: AppleAnchor?
    private var waiting: CheckedContinuation<AppleIdentity, any Error>?
    private var controller: ASAuthorizationController?

    init(_ anchor: @MainActor () -> ASPresentationAnchor?) { self.anchor = anchor().map(AppleAnchor.init) }

    func answer(_ hashedNonce: String) async throws -> AppleIdentity {
        let request = ASAuthorizationAppleIDProvider().createRequest()
        request.nonce = hashedNonce
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        controller.presentationContextProvider = anchor
        self.controller = controller
        return try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            controller.performRequests()
        }
    }

    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
            let token = credential.identityToken.flatMap({ String(data: $0, encoding: .utf8) })
        else { return end(.failure(Self.unavailable)) }
        let code = credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) }
        end(
            .success(
                AppleIdentity(
                    identityToken: Token(token), authorizationCode: code.map(Token.init), userID: credential.user)))
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
        end(.failure(isCancelled ? FarewellError.proofCancelled : Self.unavailable))
    }

    private func end(_ answer: Result<AppleIdentity, FarewellError>) {
        waiting?.resume(with: answer.mapError { $0 as any Error })
        waiting = nil
        controller = nil
    }

    private static let unavailable = FarewellError(
        "device.apple-unavailable", .tryAgain, "Sign in with Apple is not available now.")
}

/// The window that a sheet belongs to.
@MainActor
private final class AppleAnchor: NSObject, @MainActor ASAuthorizationControllerPresentationContextProviding {
    private let window: ASPresentationAnchor

    init(_ window: ASPresentationAnchor) { self.window = window }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window }
}
#endif
