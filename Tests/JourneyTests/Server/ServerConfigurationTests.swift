// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("A server that cannot start gives the reason in one line, and starts nothing")
struct ServerConfigurationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var settings = ""
        var arguments: [String] = []
        var environment: [String: String] = [:]
        var status: Int32 = 2
        let says: String
    }

    static let cases: [Case] = [
        Case(testDescription: "an unknown key", settings: "http: {prot: 1}", says: "http.port"),
        Case(testDescription: "an unknown variable", environment: ["FAREWELL_HTTP_PROT": "1"], says: "FAREWELL_HTTP_PORT"),
        Case(testDescription: "a wrong type", settings: "http: {port: geheim}", says: "whole number"),
        Case(testDescription: "no YAML", settings: "http: [", says: "YAML"),
        Case(testDescription: "a file that is not there", arguments: ["--settings", "none.yaml"], says: "cannot be read"),
        Case(testDescription: "an unreadable key file", settings: "tls: {certificate: a.pem, key: b.pem}", says: "cannot be read"),
        Case(testDescription: "a malformed certificate", settings: "tls: {certificate: settings.yaml, key: settings.yaml}", says: "PEM"),
        Case(testDescription: "an unreadable secret", settings: "tokens: {secret-file: none}", says: "cannot be read"),
        Case(testDescription: "a weak secret", environment: ["FAREWELL_TOKENS_SECRET": "geheim"], says: "32 bytes"),
        Case(testDescription: "HS256 without a secret", settings: "tokens: {algorithm: HS256}", says: "secret"),
        Case(
            testDescription: "an issuer of an unknown kind", settings: "erasures: {issuers: ['geheim https://a']}",
            says: "no known issuer"),
        Case(testDescription: "every address and no issuer", arguments: ["--host", "0.0.0.0"], says: "tokens.issuer"),
        Case(testDescription: "the same in the file", settings: "http: {host: 0.0.0.0}", says: "tokens.issuer"),
        Case(
            testDescription: "keys at no safe address", settings: "google: {client-ids: [app], keys: 'http://geheim.org/x'}",
            says: "google.keys"),
        Case(testDescription: "spans without a receiver", settings: "traces: {endpoint: 'ftp://geheim'}", says: "traces.endpoint"),
        Case(
            testDescription: "keys at a port that there is not",
            settings: "google: {client-ids: [app], keys: 'https://127.0.0.1:70000/geheim'}", says: "google.keys"),
        Case(
            testDescription: "spans for a port that there is not", settings: "traces: {endpoint: 'http://127.0.0.1:70000/geheim'}",
            says: "traces.endpoint"),
        Case(testDescription: "no address of this machine", arguments: ["--host", "203.0.113.7"], says: "not an address"),
        Case(
            testDescription: "a database that is down", arguments: ["--database-url", "postgresql://a:geheim@127.0.0.1:1/x"],
            status: 75, says: "→"),
        Case(testDescription: "an unknown kind of database", arguments: ["--database-url", "mysql://a:geheim@h/x"], says: "scheme"),
        Case(
            testDescription: "no folder for temporary files", environment: ["TMPDIR": "/dev/null/none"],
            says: "name a writable folder in TMPDIR"),
        Case(testDescription: "a port that is none", arguments: ["--port", "70000"], says: "65535"),
    ]

    @Test("a bad configuration", arguments: cases)
    func refused(_ one: Case) async throws {
        try await ServerPlace.with(.sqlite) { place in
            try Data(one.settings.utf8).write(to: place.folder.appendingPathComponent("settings.yaml"))
            var arguments = ["serve", "--port", "0"]
            if !one.settings.isEmpty { arguments += ["--settings", "settings.yaml"] }
            let end = try await place.call(arguments + one.arguments, environment: one.environment)
            #expect(end.status == one.status, "\(end)")
            #expect(end.errors.contains(one.says), "\(end)")
            #expect(!end.description.contains("geheim"), "\(end)")
            #expect(end.output.isEmpty, "\(end)")
            let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
            #expect(left.allSatisfy { $0 == "settings.yaml" }, "half-started: \(left)")
        }
    }

    @Test("a taken port gives an error, and nothing is created")
    func portTaken() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let end = try await place.call(["serve", "--port", "\(server.port)", "--state", "other"])
                #expect(end.status == 2 && end.errors.contains("listens on"), "\(end)")
                #expect(!FileManager.default.fileExists(atPath: place.folder.appendingPathComponent("other").path))
            }
        }
    }

    @Test("a server on a chosen port signs as its listening address, unless a setting gives another address")
    func portChosen() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let addresses = Guarded<[String]>([])
            try Data(ServerPlace.generous.utf8).write(to: place.folder.appendingPathComponent("settings.yaml"))
            for _ in 0..<2 {
                let serve = ["serve", "--settings", "settings.yaml", "--port", "0"]
                let status = try await place.running(serve, until: "Listening on ") { server in
                    let token = try await server.person().access
                    #expect(try CompactToken(token).unprovenClaims["iss"] == .string(server.auth))
                    #expect(try await server.isAccepted(token))
                    addresses.withLock { $0.append(server.url) }
                }
                #expect(status == 0)
            }
            #expect(addresses.withLock { $0.allSatisfy { $0.hasPrefix("http://127.0.0.1:") && !$0.hasSuffix(":0") } })
        }
    }

    @Test("a worker whose servers choose their port gets an error that demands the issuer")
    func portOfOthers() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let end = try await place.call(["work", "--port", "0"])
            #expect(end.status == 2 && end.errors.contains("FAREWELL_TOKENS_ISSUER"), "\(end)")
        }
    }

    @Test("OP-4 a worker without a plan, or with an unreadable one, creates nothing", arguments: [[], ["none.yaml"]])
    func workerWithoutPlan(_ plan: [String]) async throws {
        try await ServerPlace.with(.postgresql) { place in
            var environment = ["FAREWELL_TOKENS_ISSUER": "https://auth.example.org"]
            if let plan = plan.first { environment["FAREWELL_ERASURES_PLAN"] = plan }
            let end = try await place.call(["work", "--database", place.address], environment: environment)
            #expect(end.status == 2, "\(end)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).isEmpty, "\(end)")
            let database = try openDatabase(place.address)
            let tables = try await Schema.read(from: database).tables.map(\.name)
            await database.close()
            #expect(tables.isEmpty)
        }
    }

    @Test("OP-4 a server with an unreadable plan creates nothing except its new SQLite file")
    func planOfNobody() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let plan = """
                version: 1
                subject: {table: nobody, key: id}
                tables:
                  nobody: {rule: erase}

                """
            try Data(plan.utf8).write(to: place.folder.appendingPathComponent("farewell.yaml"))
            let end = try await place.call(["serve", "--port", "0"], environment: ["FAREWELL_ERASURES_PLAN": "farewell.yaml"])
            #expect(end.status == 2, "\(end)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == ["farewell.yaml"], "\(end)")
        }
    }

    @Test("an unknown host name gives an error in one line", arguments: ["no-such.invalid", "999.1.1.1", ""])
    func noAddress(_ host: String) async throws {
        try await ServerPlace.with(.sqlite) { place in
            let end = try await place.call(["serve", "--host", host, "--port", "0"])
            #expect(end.status == 2 && !end.errors.contains("unexpected"), "\(end)")
        }
    }

    @Test("keys are created once, readable by their owner only")
    func keys() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let names = ["service.key", "follower.key", "operator.secret", "keys.json", "farewell.sqlite"]
            let first = Guarded<[Data]>([])
            for _ in 0..<2 {
                try await place.serving { server in
                    let list = try await server.ask(.GET, "/auth/v1/admin/users", token: server.serviceKey())
                    #expect(list.status == 200, "\(list)")
                }
                for name in names {
                    let attributes = try FileManager.default.attributesOfItem(
                        atPath: place.state.appendingPathComponent(name).path)
                    #expect(attributes[.posixPermissions] as? Int == 0o600 || name == "farewell.sqlite", "\(name)")
                }
                let keys = names.dropLast().compactMap { try? Data(contentsOf: place.state.appendingPathComponent($0)) }
                first.withLock { if $0.isEmpty { $0 = keys } else { #expect($0 == keys) } }
            }
        }
    }

    @Test("on SIGTERM the server lets a running call finish, and exits 0")
    func graceful() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let settings =
                try await place.offeringMetrics() + """
                    limits: {request-timeout: 120, calls-per-address: 1000000, burst-per-address: 1000000}
                    http: {shutdown-timeout: 120}
                    """
            let status = try await place.serving(settings) { server in
                // Passwords take a while to hash at the standard cost; the signal comes in between.
                for _ in 0..<20 {
                    let isOver = Guarded(false)
                    async let access = {
                        defer { isOver.withLock { $0 = true } }
                        return try await server.person().access
                    }()
                    var isSeen = false
                    while !isSeen, !isOver.withLock({ $0 }) {
                        isSeen = try await server.metrics().text.contains("requests_in_flight 2\n")
                    }
                    if isSeen { server.signal(SIGTERM) }
                    #expect(try await !access.isEmpty)
                    if isSeen { return }
                }
                Issue.record("no call was ever seen in flight")
            }
            #expect(status == 0)
        }
    }
}
