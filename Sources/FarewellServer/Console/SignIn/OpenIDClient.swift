// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Crypto
import Farewell
import FarewellVerifier
import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// Signs operators in at a provider: authorization code flow (OpenID Connect Core 1.0, 3.1) with PKCE (RFC 7636).
///
/// Only the provider's description and keys are kept; no token outlives the call that received it.
final class OpenIDClient: Sendable {
    let settings: OperatorSignIn
    private let world: ServerWorld
    private let log: Logger
    private let deadline: Deadline
    private let http = OwnHTTPClient()
    private let known = Guarded<Known?>(nil)

    /// The provider's description, and the verifier of its tokens.
    private struct Known: Sendable {
        let provider: OpenIDProvider
        let verifier: TokenVerifier
        let since: Duration
    }

    /// The values with which the code of a sign-in is exchanged.
    struct Exchange: Sendable {
        let code: String
        /// The proof that this server requested the code.
        let verifier: String
        let nonce: String
        let back: String
    }

    init(_ settings: OperatorSignIn, world: ServerWorld, log: Logger) {
        self.settings = settings
        self.world = world
        self.log = log
        deadline = Deadline(limit: .seconds(8), sleep: world.sleep)
    }

    /// The description is fetched again after this time.
    private static let life = Duration.seconds(3_600)
    private static let longestAnswer = 256 << 10

    /// The address to which the browser is sent.
    ///
    /// - Throws: `console.sign-in-unavailable`.
    func asking(state: String, nonce: String, verifier: String, back: String) async throws -> String {
        let challenge = Base64URL.text(Array(SHA256.hash(data: Data(verifier.utf8))))
        return try await current().provider.asking(
            settings, state: state, nonce: nonce, challenge: challenge, back: back)
    }

    /// The operator who signed in there.
    ///
    /// - Throws: `console.sign-in-unavailable`; `console.sign-in-refused` for a code or a token that is not good.
    func identity(_ exchange: Exchange) async throws -> VerifiedToken {
        let known = try await current()
        let answer = try await answer(to: try request(exchange, at: known.provider.token))
        guard answer.status == .ok, let token = (try? StrictJSON.value(answer.body))?["id_token"]?.string else {
            log.warning("operators' sign-in: no token", metadata: ["status": "\(answer.status.code)"])
            throw answer.status.code < 500 ? Self.refused : Self.unavailable
        }
        let verified: VerifiedToken
        do throws(TokenRefusal) {
            verified = try await known.verifier.verify(token)
        } catch {
            log.warning("operators' sign-in: a token was refused", metadata: ["reason": "\(error.rawValue)"])
            throw error.family == .tryAgain ? Self.unavailable : Self.refused
        }
        guard let nonce = verified.nonce, ConstantTime.isEqual(nonce.utf8, exchange.nonce.utf8) else {
            log.warning("operators' sign-in: a token was refused", metadata: ["reason": "nonce"])
            throw Self.refused
        }
        return verified
    }

    private static let unavailable = FarewellError(
        "console.sign-in-unavailable", .tryAgain, "The operators' provider answers incorrectly.")
    private static let refused = FarewellError(
        "console.sign-in-refused", .yoursToFix, "The answer of the operators' provider could not be used.")

    // MARK: The provider

    private func current() async throws -> Known {
        let now = world.elapsed()
        if let known = known.withLock({ $0 }), now - known.since < Self.life { return known }
        let request = HTTPClientRequest(url: OpenIDProvider.address(of: settings.issuer))
        let answer = try await answer(to: request)
        guard answer.status == .ok else { throw OpenIDProvider.unusable("is answered \(answer.status.code)") }
        let provider = try OpenIDProvider(answer.body, of: settings.issuer)
        let fresh = Known(provider: provider, verifier: try verifier(for: provider), since: now)
        known.withLock { $0 = fresh }
        return fresh
    }

    private func verifier(for provider: OpenIDProvider) throws -> TokenVerifier {
        var environment = VerifierEnvironment.live(log: log)
        (environment.now, environment.uptime, environment.sleep) = (world.now, world.elapsed, world.sleep)
        let keys = try IssuerKeys.published(at: provider.keys, for: provider.algorithms)
        let http = http
        return try TokenVerifier(
            trusting: [.identity(settings.issuer, keys: keys, client: settings.client)],
            fetching: HTTPKeySetFetching(client: { try http.client() }), environment: environment)
    }

    private func request(_ exchange: Exchange, at address: URL) throws -> HTTPClientRequest {
        var fields = [
            "grant_type": "authorization_code", "code": exchange.code, "redirect_uri": exchange.back,
            "code_verifier": exchange.verifier,
        ]
        var request = HTTPClientRequest(url: address.absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "Accept", value: "application/json")
        if let file = settings.secretFile {
            // RFC 6749, 2.3.1: both are written as in a form first.
            let pair = "\(FormFields.written(settings.client)):\(FormFields.written(try SecretFile.text(file)))"
            let basic = Data(pair.utf8).base64EncodedString()
            request.headers.add(name: "Authorization", value: "Basic \(basic)")
        } else {
            fields["client_id"] = settings.client
        }
        request.body = .bytes(ByteBuffer(string: FormFields.written(fields)))
        return request
    }

    private struct Answer: Sendable {
        let status: HTTPResponseStatus
        let body: [UInt8]
    }

    private func answer(to request: HTTPClientRequest) async throws -> Answer {
        let client = try http.client()
        let reason: String
        do {
            let answer = try await deadline.run {
                let response = try await client.execute(request, deadline: .distantFuture)
                let body = try await response.body.collect(upTo: Self.longestAnswer)
                return Answer(status: response.status, body: Array(body.readableBytesView))
            }
            if let answer { return answer }
            reason = "none within \(deadline.limit)"
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            reason = ConnectionFailure.words(error)
        }
        log.warning("operators' sign-in: no answer", metadata: ["reason": "\(reason)"])
        throw Self.unavailable
    }
}
