// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// Farewell's own server, and Supabase Auth, whose contract it implements.
///
/// Farewell's additions (sign-out by ticket, renewals under a nonce, the list of sessions, erasures) are used if the
/// server offers them; a Supabase server ignores them.
public struct FarewellProvider: SessionProvider {
    let root: URL
    let apiKey: String?
    let device: SessionDevice
    let transport: any HTTPTransport
    let endpoint: DeletionEndpoint?
    private let outbox: any HTTPTransport
    public let name = "farewell"
    public let policy: SignOutPolicy

    /// - Parameters:
    ///   - root: The base address of `/auth/v1`.
    ///   - apiKey: The key that Supabase's gateway requires in `apikey`.
    ///   - device: The text that the user sees in their list of sessions.
    ///   - endpoint: The backend that deletes the user's data and account, such as an Edge Function. Without it the
    ///     server's own `/v1/erasures`, which only Farewell's has.
    ///   - outbox: The transport that reports sign-outs, if it is not `transport`: `HandedOverTransport` continues
    ///     after the app's time in the background has ended.
    public init(
        _ root: URL, apiKey: String? = nil, device: SessionDevice = SessionDevice(),
        deletingBy endpoint: DeletionEndpoint? = nil, policy: SignOutPolicy = .clearAnyway,
        transport: any HTTPTransport = LiveHTTPTransport(),
        outbox: (any HTTPTransport)? = nil
    ) {
        self.outbox = outbox ?? transport
        self.endpoint = endpoint
        self.root = root
        self.apiKey = apiKey
        self.device = device
        self.policy = policy
        self.transport = transport
    }

    // MARK: Coming in

    /// Signs in with an e-mail address and a password.
    public func signIn(
        email: String, password: Token
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        try await granted(
            "token?grant_type=password", ["email": .string(email), "password": .string(password.reveal { $0 })])
    }

    /// Signs up with an e-mail address and a password, and in.
    ///
    /// - Throws: `device.confirmation-needed` if the address must be confirmed before the user is signed in.
    public func signUp(
        email: String, password: Token
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        try await granted("signup", ["email": .string(email), "password": .string(password.reveal { $0 })])
    }

    /// Signs in with a token of Apple, Google or another issuer.
    ///
    /// - Parameters:
    ///   - nonce: The value whose hash is in the token, if there is one.
    ///   - authorizationCode: Apple's; lets the server withdraw Sign in with Apple when the account is deleted.
    ///   - appleUserID: Apple's name for the user: their credential is checked at every launch.
    public func signIn(
        identityToken: Token, from issuer: String, nonce: String? = nil, authorizationCode: Token? = nil,
        appleUserID: String? = nil
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        var body: [String: JSONValue] = [
            "id_token": .string(identityToken.reveal { $0 }), "provider": .string(issuer),
        ]
        body["nonce"] = nonce.map(JSONValue.string)
        body["authorization_code"] = authorizationCode.map { .string($0.reveal { $0 }) }
        return try await granted("token?grant_type=id_token", body, appleUserID: appleUserID)
    }

    func granted(
        _ path: String, _ body: [String: JSONValue], appleUserID: String? = nil
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        let request = try HTTPExchange.Request.json("POST", auth(path), fields: fields, body)
        let answer = try await transport.ask(request)
        guard answer.isSuccess else { throw FarewellRefusal(answer).failure(at: .signIn) }
        return try TokenGrant(answer).session(appleUserID: appleUserID)
    }

    // MARK: Staying

    public func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        var fields = fields
        fields["X-Farewell-Refresh-Nonce"] = nonce
        let body: [String: JSONValue] = ["refresh_token": .string(session.refreshToken.reveal { $0 })]
        let request = try HTTPExchange.Request.json(
            "POST", auth("token?grant_type=refresh_token"), fields: fields, body)
        let answer = try await transport.ask(request)
        guard answer.isSuccess else { throw FarewellRefusal(answer).failure(at: .renewal) }
        return try TokenGrant(answer).renewed(session)
    }

    // MARK: Leaving

    public func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? {
        session.signOutTicket.map { SessionRevocation(ticket: $0, scope: scope) }
    }

    public func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) {
        let body: [String: JSONValue] = [
            "ticket": .string(revocation.ticket.reveal { $0 }), "scope": .string(revocation.scope.rawValue),
        ]
        let answer = try await outbox.ask(
            try .json("POST", root.appending(path: "v1/sign-out"), fields: fields, body))
        guard answer.isSuccess else { throw FarewellRefusal(answer).failure(at: .ticket) }
    }

    public func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        let answer = try await transport.ask(
            try .json("POST", auth("logout?scope=\(scope.rawValue)"), fields: fields).bearing(session.accessToken))
        guard answer.isSuccess else { throw FarewellRefusal(answer).failure(at: .bearer) }
    }

    // MARK: Addresses

    func auth(_ path: String) -> URL {
        let parts = path.split(separator: "?", maxSplits: 1)
        var address = URLComponents(url: root.appending(path: "auth/v1/\(parts[0])"), resolvingAgainstBaseURL: false)
        if parts.count > 1 { address?.percentEncodedQuery = String(parts[1]) }
        return address?.url ?? root
    }

    var fields: [String: String] {
        var fields = ["X-Supabase-Api-Version": "2024-01-01"]
        fields["apikey"] = apiKey
        fields["X-Farewell-Device"] = device.name
        fields["X-Farewell-Platform"] = device.platform
        fields["X-Farewell-App-Version"] = device.appVersion
        return fields
    }
}
