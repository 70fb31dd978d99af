// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// The Supabase Auth contract, so that existing clients work unchanged. The only additions are ones that clients
/// ignore: a member `sign_out_ticket` in the token response, and a nonce for refreshes.
struct AuthRoutes: Sendable {
    let server: FarewellServer
    static let root = ServerPaths.auth

    var authority: SessionAuthority { server.authority }

    var all: [Route] {
        [signUp.taking(atMost: longestSignUp), token.taking(atMost: 64 << 10)]
            + mail.map { $0.method == .post ? $0.taking(atMost: 4 << 10) : $0 } + person + administration + knowledge
    }

    /// Bytes of a sign-up: the metadata, each byte perhaps written as six, and the other members.
    private var longestSignUp: Int { (32 << 10) + 6 * authority.settings.metadataLimit }

    // MARK: The caller

    func caller(_ call: RouteCall) async throws -> Caller {
        let caller = try await authority.authenticate(try call.bearerToken())
        if let wanted = call.headers[.requestedAudience], caller.claims.aud?.isExactly(wanted) != true {
            throw FarewellError(
                "auth.validation_failed", .yoursToFix, "Token audience doesn't match request audience")
        }
        return caller
    }

    /// Adds to the refusal of a weak password what is weak about it.
    func explainingWeakness<Value: Sendable>(
        of password: String?, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as FarewellError where error.code == "auth.weak_password" {
            let reasons = authority.settings.passwordRule.weaknesses(of: password ?? "").map(\.rawValue)
            throw WeakPassword(error: error, reasons: reasons)
        }
    }
}

extension RouteOperation {
    /// The refusals of an identity token, all with the status 400 (contract, 1.2).
    static let identityTokens: Set = ["oauth.invalid_nonce", "oauth.invalid_request", "provider_disabled"]
}

extension RouteCall {
    /// The device's description of itself.
    var device: SessionDevice {
        SessionDevice(
            name: headers[.deviceName], platform: headers[.devicePlatform] ?? headers[.clientPlatform],
            appVersion: headers[.appVersion], userAgent: headers[.userAgent], address: address)
    }

    /// The source of the call, for counting attempts.
    var source: CallerSource { source(device: headers[.deviceKey]) }

    /// - Parameters:
    ///   - device: The random secret that the caller's device keeps.
    ///   - fresh: The secret that replaces it at a sign-in to an account that does not know it.
    func source(device: String?, fresh: String? = nil) -> CallerSource {
        CallerSource(network: address.map(CallerNetwork.name(of:)), device: device, freshDevice: fresh)
    }

    func refuse(_ message: String) -> FarewellError { FarewellError("auth.validation_failed", .yoursToFix, message) }
}
