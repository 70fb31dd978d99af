// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// A user pool of Amazon Cognito, by its JSON interface.
///
/// Only the refresh token ends a session, and it grants full access: it is not kept for later, so a sign-out that does
/// not reach Cognito is reported as unconfirmed.
public struct CognitoProvider: SessionProvider {
    public let name = "cognito"
    public let policy: SignOutPolicy
    public let scopes: Set<SignOutScope> = [.local, .global]
    private let clientID: String
    private let address: URL
    private let endpoint: DeletionEndpoint?
    private let transport: any HTTPTransport

    /// - Parameters:
    ///   - address: Of the region, such as `https://cognito-idp.eu-central-1.amazonaws.com`.
    ///   - clientID: An app client without a secret.
    ///   - endpoint: The backend that deletes the user's data and account, such as `DELETE /me/account`. Without it
    ///     only the account is deleted, by `DeleteUser`.
    public init(
        _ address: URL, clientID: String, deletingBy endpoint: DeletionEndpoint? = nil,
        policy: SignOutPolicy = .clearAnyway, transport: any HTTPTransport = LiveHTTPTransport()
    ) {
        self.address = address
        self.clientID = clientID
        self.endpoint = endpoint
        self.policy = policy
        self.transport = transport
    }

    /// Signs in with a name and a password (`USER_PASSWORD_AUTH`).
    ///
    /// - Throws: `refused` where Cognito asks for more than a password.
    public func signIn(
        username: String, password: Token
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        let answer = try await ask(
            "InitiateAuth",
            [
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": .string(clientID),
                "AuthParameters": .object([
                    "USERNAME": .string(username), "PASSWORD": .string(password.reveal { $0 }),
                ]),
            ])
        guard let result = answer.json?["AuthenticationResult"], let access = result["AccessToken"]?.string,
            let refresh = result["RefreshToken"]?.string, let id = TokenClaims(access)?["sub"]?.string
        else {
            throw .refused(FarewellError("device.challenge", .yoursToFix, "Cognito requires more than a password."))
        }
        guard let life = TokenLife.seconds(result["ExpiresIn"]) else { throw .unavailable(Self.odd) }
        // Tokens name their session only in pools that can revoke them.
        let session = DeviceSession(
            id: TokenClaims(access)?["origin_jti"]?.string ?? SessionName.made(for: id, Token(refresh)),
            user: DeviceUser(id: id), accessToken: Token(access), refreshToken: Token(refresh),
            expiresAt: (answer.date ?? .distantPast).addingTimeInterval(life), lifetime: life)
        return ProviderAnswer(session, serverTime: answer.date)
    }

    public func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        let answer: HTTPExchange.Answer
        do {
            answer = try await ask(
                "InitiateAuth",
                [
                    "AuthFlow": "REFRESH_TOKEN_AUTH", "ClientId": .string(clientID),
                    "AuthParameters": .object(["REFRESH_TOKEN": .string(session.refreshToken.reveal { $0 })]),
                ])
        } catch .unauthorised {
            // The refresh token itself is not accepted: expired, revoked, or its user is deleted.
            throw .ended(.refused)
        }
        guard let result = answer.json?["AuthenticationResult"], let access = result["AccessToken"]?.string,
            let life = TokenLife.seconds(result["ExpiresIn"])
        else { throw .unavailable(Self.odd) }
        var renewed = session
        renewed.accessToken = Token(access)
        // Cognito rotates refresh tokens only if it is configured to.
        if let refresh = result["RefreshToken"]?.string { renewed.refreshToken = Token(refresh) }
        renewed.lifetime = life
        renewed.expiresAt = (answer.date ?? session.expiresAt).addingTimeInterval(life)
        return ProviderAnswer(renewed, serverTime: answer.date)
    }

    public func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? { nil }
    public func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) {}

    public func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        switch scope {
        case .local:
            _ = try await ask(
                "RevokeToken",
                ["ClientId": .string(clientID), "Token": .string(session.refreshToken.reveal { $0 })])
        case .global:
            _ = try await ask("GlobalSignOut", ["AccessToken": .string(session.accessToken.reveal { $0 })])
        case .others:
            throw .refused(
                FarewellError(
                    "device.scope", .yoursToFix, "Cognito cannot end all sessions except one.", remedy: "Use global."))
        }
    }

    public func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer {
        if let endpoint { return try await endpoint.request(session, intent, over: transport) }
        do {
            _ = try await ask("DeleteUser", ["AccessToken": .string(session.accessToken.reveal { $0 })])
        } catch .ended(.accountDeleted) {
            // A repeated request after a lost answer: the account does not exist any more, as intended.
        }
        return .done(DeletionProgress(state: "done"))
    }

    /// - Throws: `unavailable`: only another deletion request shows whether an account is gone.
    public func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        try await CustomProvider.cannotTell(intent)
    }

    // MARK: Talking

    private func ask(
        _ action: String, _ body: [String: JSONValue]
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let fields = [
            "X-Amz-Target": "AWSCognitoIdentityProviderService.\(action)", "Content-Type": "application/x-amz-json-1.1",
        ]
        let answer = try await transport.ask(try .json("POST", address, fields: fields, body))
        guard !answer.isSuccess else { return answer }
        // `NotAuthorizedException`, or the same after the name of a service and `#`.
        let kind = answer.json?["__type"]?.string?.split(separator: "#").last.map(String.init)
        let known = kind.flatMap { $0.allSatisfy { $0.isASCII && $0.isLetter } ? $0 : nil }
        let error = FarewellError(
            "device.cognito", .yoursToFix, "Cognito answered \(answer.status) (\(known ?? "no reason")).")
        switch kind {
        case "NotAuthorizedException": throw .unauthorised(error)
        case "UserNotFoundException": throw .ended(.accountDeleted)
        case "TooManyRequestsException", "LimitExceededException", "InternalErrorException", nil:
            throw .unavailable(error)
        default: throw answer.status >= 500 ? .unavailable(error) : .refused(error)
        }
    }

    private static let odd = FarewellError("device.odd-answer", .tryAgain, "The answer is not from Cognito.")
}
