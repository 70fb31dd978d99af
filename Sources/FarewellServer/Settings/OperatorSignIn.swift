// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier

/// Where operators sign in for the console by OpenID Connect, and what they may do then.
public struct OperatorSignIn: Sendable, Hashable {
    /// The provider's exact name, `iss`: an address of HTTPS, or of HTTP on the loopback interface.
    public var issuer: String
    /// The console's name there; tokens must be for it.
    public var client: String
    /// The file of the client's secret; nil if the provider knows the console as a public client.
    public var secretFile: String?
    /// The requested scopes.
    public var scopes = ["openid"]
    /// The claim with the roles: a member of the token, or a path to one with dots, such as `realm_access.roles`.
    public var claim = "roles"
    /// Values of the claim whose bearers see everything and change nothing.
    public var lookRoles: Set<String> = []
    /// Values of the claim whose bearers also act.
    public var operatorRoles: Set<String> = []

    /// - Throws: `settings.wrong` for an issuer that is not safely reached, or a client without a name.
    public init(issuer: String, client: String) throws {
        guard (try? SafeAddress.url(issuer)) != nil else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "The setting console.issuer is not a plain HTTPS address.",
                remedy: "Write it as the provider writes `iss`; HTTP works only on this machine.")
        }
        guard !client.isEmpty else {
            throw FarewellError(
                "settings.incomplete", .yoursToFix, "console.issuer is set without console.client.",
                remedy: "Set it to the provider's client id of this console.")
        }
        self.issuer = issuer
        self.client = client
    }

    /// All that decides who may sign in here, and as what. Sign-ins under other settings are no longer valid.
    var identity: [String] {
        [issuer, client, claim, String(lookRoles.count)] + lookRoles.sorted() + operatorRoles.sorted()
    }
}

@available(macOS 15, iOS 18, *)
extension OperatorSignIn {
    /// Nil if no issuer is named.
    static func read(_ reader: SettingsReader) throws -> OperatorSignIn? {
        guard let issuer = try reader.text(.consoleIssuer) else {
            if let key = try SettingKey.console.first(where: { try reader.isGiven($0) }) {
                throw FarewellError(
                    "settings.incomplete", .yoursToFix, "\(key.name) is set without console.issuer.",
                    remedy: "Name the OpenID Connect provider of the operators.")
            }
            return nil
        }
        var settings = try OperatorSignIn(issuer: issuer, client: try reader.text(.consoleClient) ?? "")
        if let file = try reader.text(.consoleSecretFile) {
            _ = try SecretFile.text(file)
            settings.secretFile = file
        }
        settings.scopes = try reader.list(.consoleScopes) ?? settings.scopes
        settings.claim = try reader.text(.consoleClaim) ?? settings.claim
        settings.lookRoles = Set(try reader.list(.consoleLookRoles) ?? [])
        settings.operatorRoles = Set(try reader.list(.consoleOperatorRoles) ?? [])
        guard !settings.lookRoles.union(settings.operatorRoles).isEmpty else {
            throw FarewellError(
                "settings.incomplete", .yoursToFix, "console.issuer is set, but no operator has a role.",
                remedy: "Set console.operator-roles, console.look-roles, or both.")
        }
        return settings
    }
}

/// The settings of the operators' sign-in.
extension SettingKey {
    static let console: [SettingKey] = [
        consoleIssuer, consoleClient, consoleSecretFile, consoleScopes, consoleClaim, consoleOperatorRoles,
        consoleLookRoles,
    ]

    static let consoleIssuer = SettingKey(
        "console.issuer", .text, "none",
        "The OpenID Connect provider at which operators sign in, exactly as its iss claim writes it.")
    static let consoleClient = SettingKey(
        "console.client", .text, "none", "The client identifier of the console at that provider.")
    static let consoleSecretFile = SettingKey(
        "console.secret-file", .text, "none",
        "The file with the client's secret. Without it the console is a public client.")
    static let consoleScopes = SettingKey("console.scopes", .list, "openid", "The scopes that the console requests.")
    static let consoleClaim = SettingKey(
        "console.role-claim", .text, "roles", "The claim that lists an operator's roles, such as realm_access.roles.")
    static let consoleOperatorRoles = SettingKey(
        "console.operator-roles", .list, "none", "The roles that see everything at the console and may act.")
    static let consoleLookRoles = SettingKey(
        "console.look-roles", .list, "none", "The roles that see everything at the console and may not act.")
}
