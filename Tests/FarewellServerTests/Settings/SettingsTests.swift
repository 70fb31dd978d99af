// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSessions
import Foundation
import Testing

@Suite("Settings from a file and the environment")
struct SettingsTests {
    private func read(_ text: String?, _ environment: [String: String] = [:]) throws -> ServeSettings {
        guard let text else { return try ServeSettings.read(path: nil, environment: environment) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return try ServeSettings.read(path: file.path, environment: environment)
    }

    private func refusal(_ text: String?, _ environment: [String: String] = [:]) -> FarewellError? {
        do {
            _ = try read(text, environment)
            return nil
        } catch {
            return error as? FarewellError
        }
    }

    @Test("the environment overrides the file, the file overrides the default")
    func order() throws {
        let file = "http:\n  port: 1234\n  host: 0.0.0.0\nlimits: {window: 60}\n"
        let settings = try read(file, ["FAREWELL_HTTP_PORT": "4321", "PATH": "/bin", "FAREWELL_TEST_POSTGRES": "x"])
        #expect(settings.server.port == 4321 && settings.server.host == "0.0.0.0")
        #expect(settings.server.limits.window == 60 && settings.server.limits.jsonDepth == 32)
        #expect(try read(nil).server.port == 9999)
    }

    @Test("a worker names the setting of a listener that it does not open")
    func worker() throws {
        #expect(try read("operations: {port: 9464}").unusedByWorker?.contains("operations.port") == true)
        #expect(try read("operations: {host: 127.0.0.1}").unusedByWorker == nil)
    }

    @Test("an unknown key is refused, with the most likely intended one")
    func unknown() throws {
        let file = try #require(refusal("http:\n  prot: 1\n"))
        #expect(file.code == "settings.unknown" && file.message.contains("http.prot"))
        #expect(file.remedy?.contains("http.port") == true)
        let variable = try #require(refusal(nil, ["FAREWELL_HTTP_PROT": "1"]))
        #expect(variable.code == "settings.unknown" && variable.remedy?.contains("FAREWELL_HTTP_PORT") == true)
        #expect(refusal("nonsense: {a: 1}")?.code == "settings.unknown")
        #expect(refusal("http: 7")?.code == "settings.unknown")
    }

    @Test(
        "the error about a value of the wrong type or out of range names the setting and never the value",
        arguments: [
            ("http: {port: geheim}", "http.port"), ("http: {port: 70000}", "http.port"),
            ("http: {port: [1]}", "http.port"), ("log: {level: geheim}", "log.level"),
            ("limits: {json-depth: 1.5}", "limits.json-depth"), ("http: {origins: geheim}", "http.origins"),
            ("http: {accepted-hosts: ['https://geheim']}", "http.accepted-hosts"),
            ("http: {accepted-hosts: ['geheim:80']}", "http.accepted-hosts"), ("http: {accepted-hosts: ['']}", "http.accepted-hosts"),
            ("operations: {port: 0}", "operations.port"), ("http: {port: 9464}\noperations: {port: 9464}", "operations.port"),
            ("http: {openapi: geheim}", "http.openapi"),
            ("http: {client-address-field: 'Geheim:'}", "http.client-address-field"),
            ("http: {client-address-field: 'not geheim'}", "http.client-address-field"),
            ("http: {client-address-field: ''}", "http.client-address-field"),
            ("traces: {endpoint: 'ftp://geheim/v1'}", "traces.endpoint"), ("traces: {endpoint: geheim}", "traces.endpoint"),
            ("traces: {endpoint: 'http://a:geheim@b/v1'}", "traces.endpoint"), ("traces: {endpoint: ''}", "traces.endpoint"),
            ("tokens: {issuer: geheim}", "tokens.issuer"), ("tokens: {issuer: 'https://geheim .org'}", "tokens.issuer"),
            ("tokens: {issuer: 'ftp://geheim.org'}", "tokens.issuer"), ("tokens: {issuer: 'https://'}", "tokens.issuer"),
            ("apple: {tokens: 'ftp://geheim'}", "apple.tokens"), ("apple: {tokens: 'http://geheim.org'}", "apple.tokens"),
            ("apple: {client-ids: [app], keys: 'ftp://geheim'}", "apple.keys"),
            ("google: {client-ids: [app], keys: 'http://geheim.org/x'}", "google.keys"),
        ])
    func wrong(_ text: String, _ name: String) throws {
        let error = try #require(refusal(text))
        #expect(error.code == "settings.wrong" && error.message.contains(name))
        #expect(!error.description.lowercased().contains("geheim") && !error.description.contains("70000"))
    }

    @Test("private addresses are valid for traces and tokens; addresses of keys and secrets must be safe")
    func addresses() throws {
        let file = """
            tokens: {issuer: 'http://farewell:9999/auth/v1'}
            traces: {endpoint: 'http://collector:4318/v1/traces'}
            apple: {client-ids: [app], keys: 'http://127.0.0.1:1/keys'}
            google: {client-ids: [app], keys: 'https://keys.example.org/x'}
            """
        let settings = try read(file)
        #expect(settings.authority.issuer == "http://farewell:9999/auth/v1")
        #expect(settings.traces?.endpoint == "http://collector:4318/v1/traces")
        #expect(settings.providerKeys == ["apple": "http://127.0.0.1:1/keys", "google": "https://keys.example.org/x"])
        #expect(try read("tokens: {issuer: ''}").authority.issuer.isEmpty, "as if nothing were said")
    }

    @Test("a missing file, invalid YAML and a file without a mapping give an error that says so")
    func malformed() {
        for text in ["- a", "a: [", "", "\u{0}"] { #expect(refusal(text)?.code == "settings.malformed", "\(text)") }
        do {
            _ = try ServeSettings.read(path: "/nonexistent/settings.yaml", environment: [:])
            Issue.record("a missing file was read")
        } catch {
            #expect((error as? FarewellError)?.code == "settings.unreadable")
        }
    }

    @Test(
        "invalid YAML and a duplicate key give an error with line and column, and without a value",
        arguments: [
            ("http:\n  port: 1\n  port: 2\n", ":2:3: The key “port” appears twice."),
            ("log: {level: info}\nhttp: {port: geheim: 1}\n", ":2:20: This is not YAML: "),
            ("http:\n  host: \"geheim\n", ":3:1: This is not YAML: "),
            ("log: {level: info}\n--- \nlog: {}\n", ":2:1: This is not YAML: "),
            ("http:\n  host: \"\\uFEFFgeheim\"\n", ":2:10: This is an invisible byte order mark"),
            ("log: {level: info}\n\u{FEFF}http: {host: geheim}\n", ":2:1: This is an invisible byte order mark"),
        ])
    func misspelt(_ text: String, _ place: String) throws {
        let error = try #require(refusal(text))
        #expect(error.code == "settings.malformed" && error.message.contains(".yaml" + place), "\(error)")
        #expect(!error.description.contains("geheim"))
    }

    @Test("a byte order mark before the file, as some editors write it, does not affect the settings")
    func marked() throws {
        let file = "tokens: {issuer: 'https://a.example'}\nhttp:\n  port: 4711\n"
        #expect(try read("\u{FEFF}" + file).authority.issuer == "https://a.example")
    }

    @Test("a certificate without its key is refused")
    func incomplete() {
        #expect(refusal("tls: {certificate: a.pem}")?.code == "settings.incomplete")
    }

    @Test("former secrets come from either the settings or files, not both, and are shown nowhere")
    func formerSecrets() throws {
        let secrets = ["o", "p"].map { String(repeating: $0, count: 32) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("former-\(UUID()).key")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data((secrets[0] + "\n").utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let fromFile = try read("tokens: {former-secret-files: ['\(file.path)']}")
        #expect(fromFile.authority.sharedSecrets.count == 1 && !"\(fromFile)".contains(secrets[0]))
        let given = try read(nil, ["FAREWELL_TOKENS_FORMER_SECRETS": secrets.joined(separator: ",")])
        #expect(given.authority.sharedSecrets.count == 2 && !"\(given)".contains(secrets[1]))
        let both = refusal(
            "tokens: {former-secret-files: ['\(file.path)']}", ["FAREWELL_TOKENS_FORMER_SECRETS": secrets[0]])
        #expect(both?.code == "settings.ambiguous")
        #expect(refusal("tokens: {former-secret-files: ['/nonexistent/old.key']}")?.code == "settings.unreadable")
        let weak = try #require(refusal("tokens: {former-secrets: [geheim]}"))
        #expect(weak.code == "authority.weak-secret" && !weak.description.contains("geheim"))
        let alone = refusal("tokens: {algorithm: HS256, former-secrets: ['\(secrets[0])']}")
        #expect(alone?.code == "settings.incomplete", "a former secret signs nothing")
    }

    @Test("a server that listens at every address of the machine needs a setting for its public address")
    func issuer() throws {
        let silent = try read("http: {host: '::'}")
        let named = try read("http: {host: '::'}\ntokens: {issuer: 'https://id.example.org/auth/v1'}")
        for address in ["0.0.0.0", "::"] {
            #expect(throws: FarewellError.self) { try silent.checkIssuer(listeningAt: address) }
            #expect(throws: Never.self) { try named.checkIssuer(listeningAt: address) }
        }
        for address in ["127.0.0.1", "::1", "192.0.2.7", nil] {
            #expect(throws: Never.self) { try silent.checkIssuer(listeningAt: address) }
        }
        #expect(named.completed().authority.issuer == "https://id.example.org/auth/v1")
    }

    @Test("a server issues tokens under its listening port, a worker under the servers' name in its settings")
    func issuerOfPort() throws {
        let chosen = try read("http: {port: 0}")
        #expect(chosen.completed(at: 4321).authority.issuer == "http://127.0.0.1:4321/auth/v1")
        #expect(throws: FarewellError.self) { try chosen.ofWorker() }
        let named = try read("http: {port: 0}\ntokens: {issuer: 'https://id.example.org/auth/v1'}")
        for settings in [named.completed(at: 4321), try named.ofWorker()] {
            #expect(settings.authority.issuer == "https://id.example.org/auth/v1")
        }
        let worker = try read("http: {port: 4321}").ofWorker()
        #expect(worker.authority.issuer == "http://127.0.0.1:4321/auth/v1" && worker.server.port == 0)
        #expect(throws: FarewellError.self) { try read("http: {host: '::'}").ofWorker() }
    }

    @Test("a setting's former name is still accepted, and its present name has precedence")
    func formerNames() throws {
        #expect(SettingKey.all.contains { $0.formerName != nil })
        #expect(SettingKey.concurrency.formerName == "erasures.lanes")
        #expect(try read("erasures: {lanes: 7}").erasures.rules.concurrency == 7)
        #expect(try read(nil, ["FAREWELL_ERASURES_LANES": "6"]).erasures.rules.concurrency == 6)
        #expect(try read("erasures: {lanes: 7, concurrency: 3}").erasures.rules.concurrency == 3)
        let both = ["FAREWELL_ERASURES_LANES": "6", "FAREWELL_ERASURES_CONCURRENCY": "5"]
        #expect(try read(nil, both).erasures.rules.concurrency == 5)
        let older = ["FAREWELL_ERASURES_LANES": "6"]
        #expect(try read("erasures: {concurrency: 3}", older).erasures.rules.concurrency == 3)
        #expect(try read("erasures: {lanes: 3}", older).erasures.rules.concurrency == 6)

        let attempts = try read("people: {tries: 3, tries-per-source: 4, tries-window: 5}").authority.attempts
        #expect(attempts.attempts == 3 && attempts.perSource == 4 && attempts.window == .seconds(5))

        // It has the same limits, and no remedy names it.
        #expect(refusal("erasures: {lanes: 65}")?.code == "settings.wrong")
        #expect(refusal("erasures: {lanes: many}")?.code == "settings.wrong")
        for misspelt in [refusal("erasures: {lane: 3}"), refusal(nil, ["FAREWELL_ERASURES_LANE": "3"])] {
            #expect(misspelt?.code == "settings.unknown" && misspelt?.remedy?.lowercased().contains("lane") == false)
        }
    }

    @Test("the documentation uses no former name of a setting")
    func formerNamesUndocumented() throws {
        let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        for page in ["docs/operations.md", "docs/settings.md", "README.md"] {
            let text = try String(contentsOfFile: root + "/" + page, encoding: .utf8)
            for former in SettingKey.all.compactMap(\.former) {
                #expect(!text.contains(former.name) && !text.contains(former.variable), "\(page): \(former.name)")
            }
        }
    }

    @Test("DX-2 every setting is documented with its variable, its default and its meaning")
    func documented() throws {
        let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let lines = try String(contentsOfFile: root + "/docs/settings.md", encoding: .utf8).split(separator: "\n")
        for key in SettingKey.all {
            let line = lines.first { $0.hasPrefix("| `\(key.name)` |") } ?? ""
            for part in ["`\(key.variable)`", key.standard, key.meaning] {
                #expect(line.contains(part), "docs/settings.md lacks: \(key.name): \(part)")
            }
        }
        #expect(Set(SettingKey.all.map(\.variable)).count == SettingKey.all.count)
    }
}
