// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
@testable import FarewellVerifier
import Foundation
import Testing

@Suite("Settings of other issuers, and of the server's own database beside the app's")
struct IssuerSettingsTests {
    private static let secret = String(repeating: "s", count: 40)

    private static func read(_ text: String, _ environment: [String: String] = [:]) throws -> ServeSettings {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("issuers-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return try ServeSettings.read(path: file.path, environment: environment)
    }

    private static func refusal(_ text: String, _ environment: [String: String] = [:]) -> FarewellError? {
        do {
            _ = try read(text, environment).erasures.trusted()
            return nil
        } catch {
            return error as? FarewellError
        }
    }

    private static func secretFile(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("issuer-\(UUID()).secret")
        try Data((text + "\n").utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return file.path
    }

    @Test("SB-2 a Supabase project is trusted by its published keys, and by its secret where that is given")
    func secrets() throws {
        let line = "erasures: {issuers: ['supabase https://abc.supabase.co']}"
        let bare = try #require(try Self.read(line).erasures.trusted().first)
        #expect(bare.name == "https://abc.supabase.co/auth/v1" && bare.keys.algorithms == [.es256, .rs256])
        let file = try Self.secretFile(Self.secret)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let given: [(String, [String: String])] = [
            (line, ["FAREWELL_ERASURES_ISSUER_SECRET": Self.secret]), (line, ["FAREWELL_ERASURES_ISSUER_SECRET_FILE": file]),
            ("erasures: {issuers: ['supabase https://abc.supabase.co'], issuer-secret-file: '\(file)'}", [:]),
            ("erasures: {issuers: ['supabase https://abc.supabase.co secret-file=\(file)']}", [:]),
            ("erasures: {issuers: ['supabase https://abc.supabase.co secret-file=\(file)', 'supabase https://b.supabase.co']}", [:]),
        ]
        for (text, environment) in given {
            let settings = try Self.read(text, environment)
            let issuer = try #require(try settings.erasures.trusted().first)
            #expect(issuer.keys.algorithms == [.es256, .rs256, .hs256] && issuer.keys.source != nil, "\(text)")
            #expect(issuer.keys.secret?.answers(to: "any") == true)
            #expect(!"\(settings)".contains(Self.secret) && !String(reflecting: settings).contains(Self.secret))
            var dumped = ""
            dump(settings.erasures, to: &dumped)
            #expect(!dumped.contains(Self.secret))
        }
    }

    @Test("SB-2 SC-1 a secret that is weak, ambiguous, without an owner, or a key of the project is refused and never shown")
    func refusedSecrets() throws {
        let line = "issuers: ['supabase https://abc.supabase.co']"
        let variable = "FAREWELL_ERASURES_ISSUER_SECRET"
        let key = "eyJhbGciOiJIUzI1NiJ9.\(Base64URL.text(Array(#"{"role":"service_role"}"#.utf8))).c2lnbmF0dXJl"
        let cases: [(String, [String: String], FarewellError.Code)] = [
            ("erasures: {\(line)}", [variable: "geheim"], "verifier.secret"),
            ("erasures: {\(line)}", [variable: "sb_secret_geheimgeheimgeheimgeheimgeheim"], "settings.wrong"),
            ("erasures: {\(line)}", [variable: key], "settings.wrong"),
            ("erasures: {issuers: ['firebase kestrel']}", [variable: Self.secret], "settings.wrong"),
            ("erasures: {issuers: ['supabase https://a.org', 'supabase https://b.org']}", [variable: Self.secret], "settings.wrong"),
            ("erasures: {\(line), issuer-secret-file: '/nonexistent/secret'}", [:], "settings.unreadable"),
            ("erasures: {\(line), issuer-secret-file: 'x'}", [variable: Self.secret], "settings.ambiguous"),
            ("erasures: {issuers: ['supabase https://a.org secret-file=/nonexistent/secret']}", [:], "settings.unreadable"),
            ("erasures: {issuers: ['firebase kestrel secret-file=/x']}", [:], "settings.wrong"),
            ("erasures: {issuers: ['supabase https://a.org life=0']}", [:], "settings.wrong"),
            ("erasures: {issuers: ['supabase https://a.org life=soon']}", [:], "settings.wrong"),
            ("erasures: {issuers: ['supabase https://a.org life=9 life=9']}", [:], "settings.wrong"),
            ("erasures: {issuers: ['supabase https://a.org secret=geheim']}", [:], "settings.wrong"),
        ]
        for (text, environment, code) in cases {
            let error = Self.refusal(text, environment)
            #expect(error?.code == code, "\(text): \(error?.description ?? "none")")
            #expect(error?.description.contains("geheim") == false && error?.description.contains(key) == false)
        }
    }

    @Test("SB-5 the second look comes two minutes after the longest accepted token has expired")
    func secondLook() throws {
        func look(_ text: String) throws -> Int {
            let settings = try Self.read(text)
            return try settings.erasures.secondLook ?? settings.secondLook(after: settings.erasures.trusted())
        }
        #expect(try look("erasures: {issuers: ['supabase https://abc.supabase.co']}") == 3_720)
        #expect(try look("erasures: {issuers: ['supabase https://abc.supabase.co life=7200', 'firebase kestrel']}") == 7_320)
        #expect(try look("erasures: {issuers: ['openid https://i https://k a']}") == 86_520)
        #expect(try look("tokens: {life: 1800}") == 1_920)
        #expect(try look("tokens: {life: 7200}\nerasures: {issuers: ['firebase kestrel']}") == 7_320)
        #expect(try look("erasures: {second-look: 60, issuers: ['firebase kestrel']}") == 60)
        #expect(try look("erasures: {second-look: 0}") == 0)
    }

    @Test("SB-2 the server knows the source of its database's name: the environment overrides the file")
    func origin() throws {
        let variable = "FAREWELL_DATABASE_URL"
        #expect(try Self.read("database: {url: 'sqlite:a'}").databaseOrigin == .settings)
        let both = try Self.read("database: {url: 'sqlite:a'}", [variable: "sqlite:b"])
        #expect(both.database == "sqlite:b" && both.databaseOrigin == .environment(otherwise: "sqlite:a"))
        #expect(try Self.read("http: {port: 1}", [variable: "sqlite:b"]).databaseOrigin == .environment(otherwise: nil))
    }
}
