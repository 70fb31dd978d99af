// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// Public information: the available ways to sign in, and the public keys.
extension AuthRoutes {
    var knowledge: [Route] { [settings, health, keys] }

    private var settings: Route {
        Route(
            .get, Self.root + "/settings",
            RouteOperation(
                id: "getSettings", summary: "Get the available ways to sign in", tag: "auth",
                answers: [200: .init(meaning: "The available ways.", schema: .named("Settings"))], reads: .nothing)
        ) { _ in .json(SettingsAnswer(authority.settings)) }
    }

    private var health: Route {
        Route(
            .get, Self.root + "/health",
            RouteOperation(
                id: "getHealth", summary: "Get the name and version of the server", tag: "auth",
                answers: [200: .init(meaning: "The name and the version.", schema: .named("Health"))], reads: .nothing)
        ) { _ in
            .json(
                Health(
                    version: "v" + FarewellVersion.current, name: "Farewell",
                    description: "Sessions that end at once"))
        }
    }

    private struct Health: Encodable {
        let version: String
        let name: String
        let description: String
    }

    private var keys: Route {
        Route(
            .get, Self.root + "/.well-known/jwks.json",
            RouteOperation(
                id: "getKeys", summary: "Get the public keys that verify access tokens", tag: "auth",
                answers: [200: .init(meaning: "A JSON Web Key Set (RFC 7517).", schema: .named("KeySet"))])
        ) { _ in
            .json(
                text: try Self.keySet(try await authority.keySet(), and: server.eventKey),
                headers: [.cacheControl: "public, max-age=600"])
        }
    }
}

extension AuthRoutes {
    /// The keys of access tokens, and the one of tokens about events, which are of another type.
    private static func keySet(_ keys: Data, and eventKey: [String: String]?) throws -> String {
        guard let eventKey, case .array(var all)? = try? StrictJSON.value(Array(keys))["keys"] else {
            return String(decoding: keys, as: UTF8.self)
        }
        all.append(.object(eventKey.mapValues(JSONValue.string)))
        return try CanonicalJSON.text(["keys": JSONValue.array(all)])
    }
}

/// The settings in the contract's form: every provider by name, and whether it is enabled.
private struct SettingsAnswer: Encodable {
    let external: [String: Bool]
    let disable_signup: Bool
    let mailer_autoconfirm: Bool
    let phone_autoconfirm = false
    let sms_provider = ""
    let saml_enabled = false
    let saml_private_key_next_configured = false
    let passkeys_enabled = false

    private static let providers = [
        "apple", "azure", "bitbucket", "discord", "facebook", "figma", "fly", "github", "gitlab", "google", "kakao",
        "keycloak", "linkedin", "linkedin_oidc", "notion", "slack", "slack_oidc", "snapchat", "spotify", "twitch",
        "twitter", "workos", "x", "zoom",
    ]

    init(_ settings: AuthoritySettings) {
        var external = Dictionary(uniqueKeysWithValues: Self.providers.map { ($0, false) })
        for provider in settings.identityProviders { external[provider.name] = true }
        external["anonymous_users"] = settings.anonymousSignUp == .allowed
        external["email"] = true
        external["phone"] = false
        self.external = external
        disable_signup = settings.signUp == .closed
        mailer_autoconfirm = settings.emailConfirmation == .automatic
    }
}
