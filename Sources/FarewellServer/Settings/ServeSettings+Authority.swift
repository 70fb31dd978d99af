// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import FarewellVerifier
import Foundation

@available(macOS 15, iOS 18, *)
extension AuthoritySettings {
    mutating func take(_ reader: SettingsReader) throws {
        // Said to be empty it is the server's own, as when nothing is said.
        if try reader.text(.issuer)?.isEmpty == false { issuer = try reader.address(.issuer) ?? issuer }
        audience = try reader.text(.audience) ?? audience
        administratorRoles = try reader.list(.administratorRoles).map { Set($0) } ?? administratorRoles
        if let life = try reader.number(.accessTokenLife) { accessTokenLife = .seconds(life) }
        try takeSigning(reader)
        if let idle = try reader.number(.inactivity) { lifetime.inactivity = idle == 0 ? nil : .seconds(idle) }
        if let absolute = try reader.number(.absolute) { lifetime.absolute = absolute == 0 ? nil : .seconds(absolute) }
        if let interval = try reader.number(.reuseInterval) { reuseInterval = .seconds(interval) }
        signUp = try reader.text(.signUp).flatMap(SignUpRule.init(rawValue:)) ?? signUp
        anonymousSignUp = try reader.text(.anonymous).flatMap(AnonymousRule.init(rawValue:)) ?? anonymousSignUp
        emailConfirmation =
            try reader.text(.emailConfirmation).flatMap(EmailConfirmation.init(rawValue:)) ?? emailConfirmation
        passwordRule.minimumLength = try reader.number(.passwordLength) ?? passwordRule.minimumLength
        passwordCost.logN = try reader.number(.passwordCost) ?? passwordCost.logN
        switch try reader.text(.passwordChange) {
        case "with-current-password": passwordChange = .withCurrentPassword
        case "with-code": passwordChange = .withCode(after: .seconds(86_400))
        default: passwordChange = .withSession
        }
        attempts.attempts = try reader.number(.attemptsPerAccount) ?? attempts.attempts
        attempts.perSource = try reader.number(.attemptsPerSource) ?? attempts.perSource
        if let window = try reader.number(.attemptsWindow) { attempts.window = .seconds(window) }
    }

    private mutating func takeSigning(_ reader: SettingsReader) throws {
        let given = try reader.text(.secret)
        let file = try reader.text(.secretFile)
        guard given == nil || file == nil else {
            throw FarewellError(
                "settings.ambiguous", .yoursToFix, "Both tokens.secret and tokens.secret-file are set.",
                remedy: "Keep the file: process lists do not show it.")
        }
        let secret = try (try file.map(SecretFile.text) ?? given).map(SharedSecret.init)
        if let secret { sharedSecrets.append(secret) }
        sharedSecrets += try Self.formerSecrets(reader)
        switch try reader.text(.algorithm) {
        case "EdDSA": signing = .edDSA
        case "HS256":
            guard let secret else {
                throw FarewellError(
                    "settings.incomplete", .yoursToFix, "tokens.algorithm is HS256, but no shared secret is set.",
                    remedy: "Set tokens.secret-file.")
            }
            signing = .hs256(secret)
        default: signing = .es256
        }
    }

    /// The former secrets: they verify as long as the settings name them.
    private static func formerSecrets(_ reader: SettingsReader) throws -> [SharedSecret] {
        let given = try reader.list(.formerSecrets)
        let files = try reader.list(.formerSecretFiles)
        guard given == nil || files == nil else {
            throw FarewellError(
                "settings.ambiguous", .yoursToFix,
                "Both tokens.former-secrets and tokens.former-secret-files are set.",
                remedy: "Keep the files: process lists do not show them.")
        }
        return try (try files?.map(SecretFile.text) ?? given ?? []).map(SharedSecret.init)
    }
}

@available(macOS 15, iOS 18, *)
extension ServeSettings {
    mutating func takeProviders(_ reader: SettingsReader) throws {
        let (appleKeys, googleKeys) = (try reader.safeAddress(.appleKeys), try reader.safeAddress(.googleKeys))
        let appleTokens = try reader.safeAddress(.appleTokens)
        if let clients = try reader.list(.appleClients), !clients.isEmpty {
            authority.identityProviders.append(.apple(clientIDs: Set(clients)))
            providerKeys["apple"] = appleKeys ?? SettingKey.appleKeys.standard
        }
        let ours = [try reader.text(.appleTeam), try reader.text(.appleKeyID), try reader.text(.appleKeyFile)]
        if let team = ours[0], let keyID = ours[1], let keyFile = ours[2] {
            apple = AppleSettings(
                team: team, keyID: keyID, keyFile: keyFile, tokens: appleTokens ?? SettingKey.appleTokens.standard)
        } else if ours.contains(where: { $0 != nil }) {
            throw FarewellError(
                "settings.incomplete", .yoursToFix, "apple.team-id, apple.key-id and apple.key-file are not all set.",
                remedy: "Set all three, or none.")
        }
        if let clients = try reader.list(.googleClients), !clients.isEmpty {
            authority.identityProviders.append(.google(clientIDs: Set(clients)))
            providerKeys["google"] = googleKeys ?? SettingKey.googleKeys.standard
        }
    }
}

extension ServeSettings {
    /// With an issuer and a name for mails, if none was given: the server's address as far as it is known.
    ///
    /// - Parameter port: The port, if the settings leave that to the system.
    package func completed(at port: Int? = nil) -> ServeSettings {
        var complete = self
        complete.server.port = port ?? server.port
        complete.authority.issuer = complete.issuer
        if !choosesConfirmation {
            if complete.isForOthers { complete.authority.emailConfirmation = .required }
            complete.server.signsUpOnlyHere = !complete.isForOthers
        }
        let site = mailSite ?? complete.authority.issuer.replacing(ServerPaths.auth, with: "")
        complete.server.site = site
        let origin = PageGuard.origin(of: complete.authority.issuer)
        let hasPages = pages.offering == .offered && !origin.isEmpty
        complete.mail = mail?.about(
            site, hasPages ? .page(origin + ServerPaths.link) : .verification(complete.authority.issuer))
        return complete
    }

    /// As a worker takes them, which listens nowhere and signs as the servers of these settings do.
    ///
    /// - Throws: `settings.incomplete` where only those servers know at which address they listen.
    package func ofWorker() throws -> ServeSettings {
        try checkIssuer(listeningAt: server.host)
        guard !authority.issuer.isEmpty || server.port != 0 else {
            throw FarewellError(
                "settings.incomplete", .yoursToFix,
                "tokens.issuer is not set, and with port 0 a worker cannot know the server's address.",
                remedy: "Set tokens.issuer (FAREWELL_TOKENS_ISSUER), equal for servers and workers.")
        }
        var settings = completed()
        // Any free port is a port it could have listened on.
        settings.server.port = 0
        settings.server.operationsPort = nil
        return settings
    }

    /// A line for the log of a worker about a setting that it shares with servers and does not use; nil if there is
    /// none.
    package var unusedByWorker: String? {
        server.operationsPort.map { _ in
            "A worker listens nowhere: operations.port counts for farewell serve. Watch the erasures there."
        }
    }

    /// Refuses to derive an issuer for a server that listens at every address of its machine: clients cannot reach it
    /// at `0.0.0.0`, but tokens and links would contain that address.
    ///
    /// - Throws: `settings.incomplete`.
    func checkIssuer(listeningAt address: String?) throws {
        guard authority.issuer.isEmpty, let address, ["0.0.0.0", "::"].contains(address) else { return }
        throw FarewellError(
            "settings.incomplete", .yoursToFix,
            "\(server.host) is every address of this machine, and tokens.issuer names no public one.",
            remedy: "Set tokens.issuer (FAREWELL_TOKENS_ISSUER), for instance https://id.example.org/auth/v1.")
    }

    /// The secrets that a server of these settings sends unencrypted, in words for the log: tokens, and cookies that
    /// browsers send without TLS. nil if all callers use TLS or are on this machine.
    var exposure: String? {
        guard server.tls == nil, issuer.utf8.starts(with: "http:".utf8) else { return nil }
        if !AcceptedHosts.isLoopback(address: issuer) {
            return """
                tokens.issuer is an HTTP address: others can read tokens and cookies on the way. Set tls.certificate \
                and tls.key, or put a proxy with TLS in front and begin tokens.issuer with https.
                """
        }
        guard isForOthers else { return nil }
        return """
            By http.accepted-hosts or http.client-address-field others reach this server, but tokens.issuer is an HTTP \
            address on this machine: cookies are set as for HTTP. Set tokens.issuer to the public address, beginning \
            with https.
            """
    }

    /// A warning for the log and `doctor`: an open sign-up reveals addresses if they count at once. nil if it needs
    /// confirmation, is closed, or only this machine reaches the server.
    package var signUpExposure: FarewellError? {
        guard authority.signUp == .open, authority.emailConfirmation == .automatic, isForOthers else { return nil }
        return FarewellError(
            "settings.unsafe", .yoursToFix,
            "people.email-confirmation is automatic: a sign-up tells every caller whether an address has an account.",
            remedy: "Set it to required and configure mail, or set people.sign-up to closed.")
    }

    /// Whether callers beyond this machine reach the server, by its issuer, its accepted hosts and a proxy in front.
    private var isForOthers: Bool {
        !AcceptedHosts.isLoopback(address: issuer) || server.clientAddressField != nil
            || server.acceptedHosts?.contains { !AcceptedHosts.isLoopback($0) } == true
    }

    /// Seconds after which all tokens have expired that a user held at the end of their erasure: the server's own, and
    /// those of other issuers.
    func secondLook(after others: [TrustedIssuer]) -> Int {
        let longest = (others.map(\.usualLife) + [authority.accessTokenLife]).max() ?? .zero
        return Int(longest.components.seconds) + ServiceRules.afterTokens
    }

    /// The database's address; SQLite's file in the state directory if none is named.
    var databaseAddress: String { database ?? "sqlite:" + state + "/farewell.sqlite" }

    private var issuer: String {
        guard authority.issuer.isEmpty else { return authority.issuer }
        let scheme = server.tls == nil ? "http" : "https"
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        return "\(scheme)://\(host):\(server.port)\(ServerPaths.auth)"
    }
}
