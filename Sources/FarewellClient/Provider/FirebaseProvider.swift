// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// Firebase Authentication, by its REST interface.
///
/// Firebase has no way to end a session from a device: signing out is local, and its refresh token stays valid at the
/// server until an administrator revokes it. So the device reports nothing, and the policy is to show errors and keep
/// users signed in, unless the app's backend ends sessions by a `SignOutEndpoint`.
public struct FirebaseProvider: SessionProvider {
    public let name = "firebase"
    public let policy: SignOutPolicy
    public var scopes: Set<SignOutScope> { ending == nil ? [.local] : [.local, .global] }
    private let apiKey: String
    private let identity: URL
    private let secureToken: URL
    private let endpoint: DeletionEndpoint?
    private let ending: SignOutEndpoint?
    private let transport: any HTTPTransport

    /// - Parameters:
    ///   - endpoint: The backend that deletes the user's data and account. Without it only the account is deleted, by
    ///     `accounts:delete`.
    ///   - ending: The backend that ends the user's sessions; with it `.clearAnyway` is the policy to choose.
    ///   - identity: The address of the identity toolkit.
    ///   - secureToken: The address at which tokens are renewed.
    public init(
        apiKey: String, deletingBy endpoint: DeletionEndpoint? = nil, endingBy ending: SignOutEndpoint? = nil,
        policy: SignOutPolicy = .keepSignedIn, identity: URL? = nil, secureToken: URL? = nil,
        transport: any HTTPTransport = LiveHTTPTransport()
    ) {
        self.apiKey = apiKey
        self.endpoint = endpoint
        self.ending = ending
        self.policy = policy
        self.identity = identity ?? Self.google("identitytoolkit")
        self.secureToken = secureToken ?? Self.google("securetoken")
        self.transport = transport
    }

    /// Signs in with an e-mail address and a password.
    public func signIn(
        email: String, password: Token
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        try await granted("signInWithPassword", email, password)
    }

    /// Makes an account with an e-mail address and a password, and signs in.
    public func signUp(
        email: String, password: Token
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        try await granted("signUp", email, password)
    }

    private func granted(
        _ verb: String, _ email: String, _ password: Token
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        let answer = try await ask(
            identity, "v1/accounts:\(verb)",
            ["email": .string(email), "password": .string(password.reveal { $0 }), "returnSecureToken": true])
        guard let id = answer.json?["localId"]?.string, let token = answer.json?["idToken"]?.string,
            let refresh = answer.json?["refreshToken"]?.string,
            let life = TokenLife.seconds(answer.json?["expiresIn"])
        else { throw .unavailable(Self.odd) }
        var session = DeviceSession(
            id: SessionName.made(for: id, Token(refresh)), user: DeviceUser(id: id, email: email),
            accessToken: Token(token), refreshToken: Token(refresh),
            expiresAt: (answer.date ?? .distantPast).addingTimeInterval(life), lifetime: life)
        session.signOutTicket = await ending?.ticket(for: session, over: transport)
        return ProviderAnswer(session, serverTime: answer.date)
    }

    public func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        var request = HTTPExchange.Request("POST", address(secureToken, "v1/token"))
        request.fields["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = session.refreshToken.reveal { Self.form(["grant_type": "refresh_token", "refresh_token": $0]) }
        let answer = try await answered(request)
        guard let token = answer.json?["id_token"]?.string, let refresh = answer.json?["refresh_token"]?.string,
            answer.json?["user_id"]?.string == session.user.id,
            let life = TokenLife.seconds(answer.json?["expires_in"])
        else { throw .unavailable(Self.odd) }
        var renewed = session
        renewed.accessToken = Token(token)
        renewed.refreshToken = Token(refresh)
        renewed.lifetime = life
        renewed.expiresAt = (answer.date ?? session.expiresAt).addingTimeInterval(life)
        if renewed.signOutTicket == nil {
            renewed.signOutTicket = await ending?.ticket(for: renewed, over: transport)
        }
        return ProviderAnswer(renewed, serverTime: answer.date)
    }

    public func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? {
        guard ending != nil, scope != .others else { return nil }
        return session.signOutTicket.map { SessionRevocation(ticket: $0, scope: scope) }
    }

    /// None: Firebase revokes all refresh tokens of a user, also those of the session that is in use.
    public func revocation(ofUnused session: DeviceSession) -> SessionRevocation? { nil }

    public func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) {
        try await ending?.end(revocation.ticket, over: transport)
    }

    /// - Throws: `refused` for `others`, and without a `SignOutEndpoint` for any scope but `local`, which is all that a
    ///   device can do here.
    public func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        guard scope == .local || ending != nil && scope == .global else {
            throw .refused(
                FarewellError(
                    "device.scope", .yoursToFix, "Firebase lets a device end only its own session.",
                    remedy: "Revoke the user's refresh tokens from your backend."))
        }
        guard let ending else { return }
        var ticket = session.signOutTicket
        if ticket == nil { ticket = await ending.ticket(for: session, over: transport) }
        guard let ticket else {
            throw .unavailable(FarewellError("device.offline", .tryAgain, "The server could not be reached."))
        }
        try await ending.end(ticket, over: transport)
    }

    public func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer {
        if let endpoint { return try await endpoint.request(session, intent, over: transport) }
        do {
            _ = try await ask(
                identity, "v1/accounts:delete", ["idToken": .string(session.accessToken.reveal { $0 })])
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
        _ root: URL, _ path: String, _ body: [String: JSONValue]
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        try await answered(try .json("POST", address(root, path), body))
    }

    private func answered(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let answer = try await transport.ask(request)
        guard !answer.isSuccess else { return answer }
        throw Self.failure(answer)
    }

    private func address(_ root: URL, _ path: String) -> URL {
        root.appending(path: path).appending(queryItems: [URLQueryItem(name: "key", value: apiKey)])
    }

    private static func form(_ fields: KeyValuePairs<String, String>) -> Data {
        Data(PercentEncoding.form(fields.map { (name: $0.key, value: $0.value) }))
    }

    /// The meaning of an error of the identity toolkit. Its text begins with a word in capitals.
    private static func failure(_ answer: HTTPExchange.Answer) -> ProviderFailure {
        let word = answer.json?["error"]?["message"]?.string?.prefix { $0.isUppercase || $0 == "_" }
        let error = FarewellError(
            "device.firebase", .yoursToFix, "Firebase answered \(answer.status) (\(word ?? "no reason")).")
        switch word {
        case "TOKEN_EXPIRED": return .ended(.expired)
        case "USER_NOT_FOUND": return .ended(.accountDeleted)
        case "USER_DISABLED", "INVALID_REFRESH_TOKEN": return .ended(.refused)
        case "INVALID_ID_TOKEN": return .unauthorised(error)
        case "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": return .recentSignInNeeded
        case .some(let word) where !word.isEmpty && answer.status == 400: return .refused(error)
        default: return .unavailable(error)
        }
    }

    private static func google(_ service: String) -> URL {
        var parts = URLComponents()
        parts.scheme = "https"
        parts.host = "\(service).googleapis.com"
        return parts.url ?? URL(filePath: "/")
    }

    private static let odd = FarewellError("device.odd-answer", .tryAgain, "The answer is not from Firebase.")
}
