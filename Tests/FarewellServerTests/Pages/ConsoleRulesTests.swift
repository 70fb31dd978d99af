// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSQL
import FarewellVerifier
import Foundation
import HTTPTypes
import Testing

@Suite("Rules of the console")
struct ConsoleRulesTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("Item 31: a return from a provider needs a state made here, for its purpose, in its browser, within ten minutes")
    func states() {
        let keys = PageKeys.ofTest()
        let state = SignInState(.console, from: Self.now, random: "r")
        let text = state.text(keys, visit: "a")
        let read = { (text: String, purposes: Set<SignInState.Purpose>, visit: String, seconds: Double) in
            SignInState(text, for: purposes, keys, visit: visit, now: Self.now.addingTimeInterval(seconds))
        }
        #expect(read(text, [.console], "a", 599) == state && read(text, [.console], "a", 600) == nil)
        #expect(read(text, [.account, .delete], "a", 0) == nil && read(text, [.console], "b", 0) == nil)
        let wrongs = [
            "", "...", "console...", text + "x", text.replacing("console", with: "delete"), text.replacing(".r.", with: ".s."),
            "console.\(Int64.max).r.x", "console.\(Int64.min).r.x",
        ]
        for wrong in wrongs {
            #expect(read(wrong, Set(SignInState.Purpose.allCases), "a", 0) == nil)
        }
        let secrets = [
            state.secret(.consoleNonce, keys, visit: "a"), state.secret(.consoleVerifier, keys, visit: "a"),
            state.secret(.consoleNonce, keys, visit: "b"),
            SignInState(.console, from: Self.now, random: "s").secret(.consoleNonce, keys, visit: "a"),
        ]
        #expect(Set(secrets).count == secrets.count && secrets.allSatisfy { $0.count == 43 && !text.contains($0) })
        #expect(SignInState.claimed("delete.1.x.y") == .delete && SignInState.claimed("<b>") == nil)
    }

    @Test(
        "roles come from one claim: a text, a list, or a path; a user with both operates, and one without a role has no access",
        arguments: [
            (#"{"roles": ["a", "op"]}"#, "roles", .operates), (#"{"roles": "op"}"#, "roles", .operates),
            (#"{"roles": ["look", "op"]}"#, "roles", .operates), (#"{"roles": ["look"]}"#, "roles", .looks),
            (#"{"roles": ["Op"]}"#, "roles", nil), (#"{"roles": "look op"}"#, "roles", nil), (#"{"roles": []}"#, "roles", nil),
            (#"{"roles": {"op": true}}"#, "roles", nil), (#"{"roles": [1, null, ["op"]]}"#, "roles", nil), ("{}", "roles", nil),
            (#"{"realm_access": {"roles": ["op"]}}"#, "realm_access.roles", .operates), (#"{"a": "op"}"#, "a.b", nil),
            (#"{"https://x.example/roles": ["look"]}"#, "https://x.example/roles", .looks), (#"{"a": "op"}"#, "", nil),
        ] as [(String, String, Operator.Role?)])
    func roles(token: String, claim: String, role: Operator.Role?) throws {
        var settings = try OperatorSignIn(issuer: "https://id.example", client: "console")
        (settings.claim, settings.lookRoles, settings.operatorRoles) = (claim, ["look"], ["op"])
        let claims = try #require(try StrictJSON.value(Array(token.utf8)).object)
        #expect(settings.role(in: claims) == role)
    }

    @Test("SC-2 roles and their claim are compared as bytes: letters that Unicode takes for others are no operator's")
    func exactRoles() throws {
        var settings = try OperatorSignIn(issuer: "https://id.example", client: "console")
        (settings.claim, settings.operatorRoles, settings.lookRoles) = ("Kasse.Rollen", ["KASSE", "caf\u{E9}"], ["Kino"])
        func role(_ name: String, in claim: [String] = ["Kasse", "Rollen"]) -> Operator.Role? {
            settings.role(in: [claim[0]: .object([claim[1]: .array([.string(name)])])])
        }
        #expect(role("KASSE") == .operates && role("caf\u{E9}") == .operates && role("Kino") == .looks)
        for alike in ["\u{212A}ASSE", "cafe\u{301}", "\u{212A}ino"] { #expect(role(alike) == nil, "\(alike)") }
        #expect(role("KASSE", in: ["\u{212A}asse", "Rollen"]) == nil)
        settings.claim = "Kasse"
        #expect(settings.role(in: ["Kasse": "KASSE"]) == .operates && settings.role(in: ["\u{212A}asse": "KASSE"]) == nil)
    }

    @Test("an operator's name is a keyed hash: constant, different from other operators', and no address")
    func names() {
        let names = OperatorNames(key: .ofTest())
        let name = names.name(issuer: "https://id.example", subject: "olga@example.org")
        #expect(name == names.name(issuer: "https://id.example", subject: "olga@example.org"))
        #expect(name.wholeMatch(of: #/[0-9a-f]{16}/#) != nil)
        let others = [
            names.name(issuer: "https://id.example", subject: "oskar@example.org"),
            names.name(issuer: "https://id.example/", subject: "olga@example.org"),
            OperatorNames(key: .ofTest()).name(issuer: "https://id.example", subject: "olga@example.org"),
        ]
        #expect(!others.contains(name))
    }

    private static let good: [String: JSONValue] = [
        "issuer": "https://id.example", "authorization_endpoint": "https://id.example/a?tenant=1+2",
        "token_endpoint": "https://tokens.example/t", "jwks_uri": "https://id.example/keys",
    ]

    @Test("a provider's description is its own, names safe addresses, and offers codes, S256 and signatures")
    func descriptions() throws {
        let provider = try OpenIDProvider(Array(try CanonicalJSON.data(Self.good)), of: "https://id.example")
        #expect(provider.algorithms == [.rs256] && provider.token.absoluteString == "https://tokens.example/t")
        let settings = try OperatorSignIn(issuer: "https://id.example", client: "a&b")
        let address = provider.asking(settings, state: "s", nonce: "n", challenge: "c", back: "https://own/console/openid/answer")
        #expect(address.hasPrefix("https://id.example/a?tenant=1%2B2&response_type=code&client_id=a%26b&redirect_uri="))
        #expect(OpenIDProvider.address(of: "https://id.example/t/") == "https://id.example/t/.well-known/openid-configuration")
        let wrong: [(String, JSONValue?)] = [
            ("issuer", "https://id.example/"), ("issuer", nil), ("token_endpoint", nil), ("token_endpoint", "http://id.example/t"),
            ("token_endpoint", "http://127.0.0.1/t"), ("token_endpoint", "https://127.0.0.1:65536/t"),
            ("jwks_uri", "https://127.0.0.1:70000/keys"), ("jwks_uri", "file:///etc/passwd"), ("jwks_uri", "https://a:b@id.example/keys"),
            ("authorization_endpoint", "javascript:alert(1)"), ("authorization_endpoint", 1),
            ("response_types_supported", .array(["id_token"])),
            ("code_challenge_methods_supported", .array(["plain"])), ("id_token_signing_alg_values_supported", .array(["none", "HS256"])),
        ]
        for (name, value) in wrong {
            var description = Self.good
            description[name] = value
            let bytes = Array(try CanonicalJSON.data(description))
            #expect(throws: FarewellError.self, "\(name)") { try OpenIDProvider(bytes, of: "https://id.example") }
        }
        for text in ["", "[]", "{", #"{"issuer":"https://id.example","issuer":"https://id.example"}"#] {
            #expect(throws: FarewellError.self) { try OpenIDProvider(Array(text.utf8), of: "https://id.example") }
        }
    }

    @Test("an issuer without a safe address, or a client without a name, is refused")
    func settings() {
        for issuer in ["http://id.example", "id.example", "https://a:b@id.example", "https://127.0.0.1:70000", ""] {
            #expect(throws: FarewellError.self) { try OperatorSignIn(issuer: issuer, client: "console") }
        }
        #expect(throws: FarewellError.self) { try OperatorSignIn(issuer: "https://id.example", client: "") }
        #expect(throws: Never.self) { try OperatorSignIn(issuer: "http://localhost:9/", client: "console") }
    }

    private static let acts = ["hold", "end-hold", "release", "redeliver"]

    @Test("BX-9 the console shows nothing without a role; a read-only operator sees everything, and every action is refused")
    func gate() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let anna = try await mount.person()
            let asked = try await mount.ask(.post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k"])
            let id = try #require(asked.json["id"] as? String, "\(asked)")
            let number = try #require(UUID(uuidString: id))
            let pages = AccountPages(server: mount.server, settings: PageSettings())
            let paths = ["/console", "/console/runs/\(id)", "/console/plan.svg", "/console/events"]
            let strangers = [nil, anna.token, "1.operate.x.y.z", pages.secret(), ErasureMount.operatorToken]
            for cookie in strangers {
                var browser = MountedBrowser(mount: mount)
                browser.cookies["__Host-farewell-console"] = cookie
                for path in paths {
                    let answer = try await browser.open(path)
                    #expect(!answer.text.contains(id) && !answer.text.contains("<svg"), "\(path)")
                }
                for act in Self.acts {
                    let answer = try await browser.send("/console/\(act)", ["id": id, "reason": "x"])
                    #expect([303, 403].contains(answer.status), "\(answer)")
                }
            }

            var browser = MountedBrowser(mount: mount)
            _ = try await browser.open("/console")
            browser.cookies["__Host-farewell-console"] = try await mount.consoleCookie("aa", role: .looks)
            _ = try await browser.open("/console")
            for path in paths.dropLast() {
                let answer = try await browser.open(path)
                #expect(answer.status == 200 && (answer.text.contains(id) || answer.text.contains("<svg")), "\(path)")
                #expect(!Self.acts.contains { answer.text.contains("action=\"/console/\($0)\"") }, "\(path)")
            }
            for act in Self.acts {
                let answer = try await browser.send("/console/\(act)", ["id": id, "reason": "x", "endpoint": "crm"])
                #expect(answer.status == 403 && answer.text.contains("change nothing"), "\(act): \(answer)")
            }
            #expect(try await mount.requests.erasure(number)?.holdReason == nil)

            browser.cookies["__Host-farewell-console"] = try await mount.consoleCookie("bb", role: .operates)
            _ = try await browser.open("/console/runs/\(id)")
            #expect(try await browser.send("/console/hold", ["id": id, "reason": "x"]).status == 303)
            #expect(try await mount.requests.erasure(number)?.holdReason == "x")
            let acts = try await mount.database.withConnection {
                try await $0.run("SELECT entry FROM farewell_audit WHERE entry LIKE '%console:%'").rows.compactMap { $0[0].text }
            }
            #expect(acts.count == 1 && acts[0].contains(#""actor":"console:bb""#), "\(acts)")
        }
    }
}
