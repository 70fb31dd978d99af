// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
@testable import FarewellServer
import Foundation
import Testing

@Suite("Settings that would weaken the server's protection")
struct UnsafeSettingsTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unsafe-\(UUID())")

    private func read(_ text: String) throws -> ServeSettings {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("settings.yaml")
        try Data(text.utf8).write(to: file)
        return try ServeSettings.read(path: file.path, environment: [:])
    }

    private func refusal(_ text: String) -> FarewellError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? FarewellError
        }
    }

    /// Writes a file of a mode and hands out its path.
    private func with<Value>(_ text: String, mode: Int, _ use: (String) throws -> Value) throws -> Value {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return try use(file.path)
    }

    @Test("SC-1 mail.site must be an HTTPS address, or an HTTP address on this machine")
    func site() throws {
        for site in [
            "javascript:alert(1)", "http://app.example.org", "data:text/html,x", "app", "ftp://a.example", "https://u:p@a.example",
        ] {
            let error = try #require(refusal("mail: {site: '\(site)'}"), "\(site)")
            #expect(error.code == "settings.wrong" && error.message.contains("mail.site"), "\(error)")
            #expect(!error.description.contains(site))
        }
        for site in ["https://app.example.org", "http://127.0.0.1:3000", "http://localhost"] {
            #expect(try read("mail: {site: '\(site)'}").mailSite == site)
        }
    }

    @Test("SC-1 links use HTTP only on this machine, since they contain tokens")
    func redirects() throws {
        for address in ["http://app.example.org/in/", "HTTP://app.example.org/in", "http://127.0.0.1.example.org/in/"] {
            let error = try #require(refusal("mail: {redirects: ['\(address)']}"), "\(address)")
            #expect(error.code == "settings.wrong" && error.message.contains("mail.redirects"), "\(error)")
        }
        for address in ["https://app.example.org/in/", "http://localhost:3000/", "http://[::1]/in", "org.example.app://in"] {
            #expect(try read("mail: {redirects: ['\(address)']}").server.redirects == [address])
        }
    }

    @Test("SC-1 a secret that every user of the machine may read, or its group may change, is refused with the remedy")
    func modes() throws {
        let secret = String(repeating: "s", count: 32)
        for mode in [0o644, 0o604, 0o602, 0o620, 0o666, 0o601] {
            try with(secret, mode: mode) { path in
                for setting in ["tokens: {secret-file: '\(path)'}", "tokens: {former-secret-files: ['\(path)']}"] {
                    let error = try #require(refusal(setting), "\(String(mode, radix: 8))")
                    #expect(error.code == "settings.unsafe" && error.remedy?.contains("chmod 600") == true, "\(error)")
                    #expect(!error.description.contains(secret))
                }
            }
        }
        for mode in [0o600, 0o400, 0o640, 0o440] {
            try with(secret, mode: mode) { path in
                let settings = try read("tokens: {secret-file: '\(path)'}")
                #expect(settings.authority.sharedSecrets.count == 1)
            }
        }
    }

    @Test("SC-1 a feed key that an attacker could guess is refused")
    func followerKey() throws {
        for key in ["x", String(repeating: "x", count: 31)] {
            let error = try #require(throws: FarewellError.self) {
                try with(key, mode: 0o600) { try OperatorKeys.followerKey(at: $0) }
            }
            #expect(error.code == "settings.wrong" && error.message.contains("feed.key-file"), "\(error)")
            #expect(!error.description.contains("xx"))
        }
        let long = String(repeating: "x", count: 32)
        let kept = try with(long, mode: 0o600) { try OperatorKeys.followerKey(at: $0) }
        #expect(kept == long)
    }

    @Test("SC-1 OP-4 an operator's key that was cut off is refused with its remedy and left alone, and the whole one is accepted again")
    func cutOff() throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("operator-\(UUID())")
        defer { try? FileManager.default.removeItem(at: place) }
        let directory = try StateDirectory.prepared(at: place.path)
        func prepared() throws -> OperatorKeys {
            try OperatorKeys.prepared(
                in: directory, followerKey: nil, now: Date(timeIntervalSince1970: 1_800_000_000), entropy: .live)
        }
        let made = try prepared()
        for (name, lengths) in [
            ("operator.secret", [0, 1, 31, 32, 63]), ("service.key", [0, 1, 32, 100]), ("follower.key", [0, 1, 31]),
        ] {
            let whole = try Data(contentsOf: place.appendingPathComponent(name))
            for length in lengths {
                let rest = Data(whole.prefix(length))
                try directory.replace(name, with: rest)
                let error = try #require(throws: FarewellError.self, "\(name), \(length) bytes") { try prepared() }
                #expect(error.code == "settings.wrong" && error.message.contains(name), "\(error)")
                #expect(error.remedy?.contains("back-up") == true && error.remedy?.contains("delete") == true, "\(error)")
                #expect(try Data(contentsOf: place.appendingPathComponent(name)) == rest)
            }
            try directory.replace(name, with: whole)
        }
        #expect(try prepared().followerKey == made.followerKey)
    }

    @Test("SC-1 the log at the start reports an HTTP issuer that others know")
    func exposure() throws {
        for text in [
            "tokens: {issuer: 'http://id.example.org/auth/v1'}", "http: {host: 192.0.2.1}",
            "http: {accepted-hosts: [id.example.org]}",
            "http: {client-address-field: X-Forwarded-For}",
        ] {
            #expect(try read(text).completed().exposure?.contains("tokens.issuer") == true, "\(text)")
        }
        for text in [
            "log: {level: info}", "tokens: {issuer: 'https://id.example.org/auth/v1'}", "tokens: {issuer: 'http://localhost:9999/auth/v1'}",
            "http: {accepted-hosts: [localhost, '[::1]']}", "http: {host: '::1'}",
            "http: {accepted-hosts: [id.example.org]}\ntokens: {issuer: 'https://id.example.org/auth/v1'}",
        ] {
            #expect(try read(text).completed().exposure == nil, "\(text)")
        }
    }

    @Test("SC-3 SRV-05 a server that others reach requires confirmation unless an operator chose otherwise, which the log reports")
    func confirmation() throws {
        let others = [
            "tokens: {issuer: 'https://id.example.org/auth/v1'}", "http: {host: 192.0.2.1}",
            "http: {accepted-hosts: [id.example.org]}",
        ]
        for text in others {
            let said = try read(text).completed()
            #expect(said.authority.emailConfirmation == .required && said.signUpExposure == nil, "\(text)")
            let chosen = try read(text + "\npeople: {email-confirmation: automatic}").completed()
            #expect(chosen.authority.emailConfirmation == .automatic, "\(text)")
            #expect(chosen.signUpExposure?.message.contains("tells every caller") == true, "\(text)")
            let closed = try read(text + "\npeople: {email-confirmation: automatic, sign-up: closed}").completed()
            #expect(closed.signUpExposure == nil, "\(text)")
        }
        for text in ["log: {level: info}", "tokens: {issuer: 'http://localhost:9999/auth/v1'}", "http: {host: '::1'}"] {
            let local = try read(text).completed()
            #expect(local.authority.emailConfirmation == .automatic && local.signUpExposure == nil, "\(text)")
            let chosen = try read(text + "\npeople: {email-confirmation: required}").completed()
            #expect(chosen.authority.emailConfirmation == .required, "\(text)")
        }
        var made = ServeSettings()
        made.authority.issuer = "https://id.example.org/auth/v1"
        #expect(made.completed().authority.emailConfirmation == .automatic, "settings made in code are chosen")
    }

    @Test("SC-1 secret files of the plan's systems that other users may read are reported, each once; a private one is not")
    func systems() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secrets-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = ["open", "private"].map { folder.appendingPathComponent($0).path }
        for (path, mode) in zip(paths, [0o644, 0o600]) {
            try Data("geheim".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        var plan = Plan(subject: SubjectRoot(table: TableName("users"), key: "id"), tables: [])
        plan.systems = ["a", "b"].map { name in
            SystemPlan(
                name: name, kind: "stripe", person: .key,
                secrets: ["key": .file(paths[0]), "other": .file(paths[1]), "third": .environment("KEY")])
        }
        #expect(SecretFile.open(of: plan) == [paths[0]])
    }
}
