// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier
import Foundation

/// The part of a provider's description (OpenID Connect Discovery 1.0, 3) that is used here. A decision only.
struct OpenIDProvider: Sendable, Equatable {
    let authorization: URL
    let token: URL
    let keys: String
    let algorithms: Set<SignatureAlgorithm>

    /// The address of a provider's description.
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// - Throws: `console.sign-in-unavailable` if the description is malformed, names another issuer, or has addresses
    ///   to which no secret may be sent.
    init(_ bytes: [UInt8], of issuer: String) throws(FarewellError) {
        guard let json = try? StrictJSON.value(bytes), json["issuer"]?.string?.isExactly(issuer) == true else {
            throw Self.unusable("names another issuer")
        }
        authorization = try Self.address("authorization_endpoint", in: json, of: issuer)
        token = try Self.address("token_endpoint", in: json, of: issuer)
        keys = try Self.address("jwks_uri", in: json, of: issuer).absoluteString
        if let types = json["response_types_supported"]?.array, !types.contains("code") {
            throw Self.unusable("offers no authorization code")
        }
        if let methods = json["code_challenge_methods_supported"]?.array, !methods.contains("S256") {
            throw Self.unusable("offers no proof of codes by S256")
        }
        let named = json["id_token_signing_alg_values_supported"]?.array?.compactMap(\.string) ?? ["RS256"]
        var algorithms = Set(named.compactMap(SignatureAlgorithm.init(rawValue:))).subtracting([.hs256])
        // A key that does not say what it is for is for the one that every provider has.
        if algorithms.contains(.rs256) { algorithms.remove(.ps256) }
        guard !algorithms.isEmpty else { throw Self.unusable("offers no known signature algorithm") }
        self.algorithms = algorithms
    }

    /// An endpoint: HTTPS, or where the provider itself is on this machine, HTTP on it.
    private static func address(_ name: String, in json: JSONValue, of issuer: String) throws(FarewellError) -> URL {
        guard let text = json[name]?.string, let url = try? SafeAddress.url(text),
            url.scheme == "https" || issuer.hasPrefix("http:")
        else { throw unusable("names no safe \(name)") }
        return url
    }

    static func unusable(_ what: String) -> FarewellError {
        FarewellError(
            "console.sign-in-unavailable", .tryAgain, "The description of the operators' provider \(what).")
    }

    /// The address at which a browser starts the sign-in.
    func asking(_ settings: OperatorSignIn, state: String, nonce: String, challenge: String, back: String) -> String {
        var address = URLComponents(url: authorization, resolvingAgainstBaseURL: false) ?? URLComponents()
        address.queryItems =
            (address.queryItems ?? []) + [
                URLQueryItem(name: "response_type", value: "code"),
                URLQueryItem(name: "client_id", value: settings.client),
                URLQueryItem(name: "redirect_uri", value: back),
                URLQueryItem(name: "scope", value: settings.scopes.joined(separator: " ")),
                URLQueryItem(name: "state", value: state), URLQueryItem(name: "nonce", value: nonce),
                URLQueryItem(name: "code_challenge", value: challenge),
                URLQueryItem(name: "code_challenge_method", value: "S256"),
            ]
        // A plus sign means a space to many readers of queries, and is left as it is by URLComponents.
        return (address.string ?? "").replacing("+", with: "%2B")
    }
}
