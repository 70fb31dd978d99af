// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Strangers with a user's address")
struct ServerLockOutTests {
    @Test(
        "SC-3 SRV-03 SRV-05 from eight addresses strangers try passwords and codes and request mails; the owner gets in by each way",
        arguments: SQLDialect.allCases)
    func attack(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            let port = try await Python.freePort()
            let secret = "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            let settings = """
                limits: {request-timeout: 120, calls-per-address: 1000000, burst-per-address: 1000000}
                people: {anonymous: allowed, password-cost: 10, tries-window: 3600}
                mail: {hook: 'http://127.0.0.1:\(port)/mail', hook-secret: '\(secret)', site: 'https://app.example.org'}

                """
            try await place.serving(settings) { server in
                let end = try await Python.run("Interop/lock_out.py", [server.auth, "--hook-port", port])
                #expect(end.status == 0, "\(end.output.split(separator: "\n").suffix(4).joined(separator: "\n"))\(end.errors)")
            }
        }
    }

    @Test("SC-3 an endpoint of the contract that this server lacks is refused in the contract's codes, for any method and path")
    func unoffered() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous) { server in
                let (person, key) = (try await server.person().access, try server.serviceKey())
                let known = try await server.ask(.GET, "/auth/v1/user", token: person).json["id"] as? String ?? ""
                let (mine, another) = ("/admin/users/\(known)", "/admin/users/\(UUID().uuidString)")
                let factors = try await server.ask(.GET, "/auth/v1\(mine)/factors", token: key)
                #expect(factors.status == 200 && factors.text == "[]", "\(factors)")
                let expected: [(path: String, token: String?, status: Int, code: String)] = [
                    ("/sso", nil, 404, "saml_provider_disabled"), ("/sso/saml/metadata", nil, 404, "saml_provider_disabled"),
                    ("/sso/saml/acs", nil, 404, "saml_provider_disabled"), ("/admin/sso/providers", key, 404, "saml_provider_disabled"),
                    ("/authorize?provider=github", nil, 400, "validation_failed"), ("/callback", nil, 400, "bad_oauth_callback"),
                    ("/factors", nil, 401, "no_authorization"), ("/factors", person, 422, "mfa_totp_enroll_not_enabled"),
                    ("/factors/\(UUID().uuidString)/challenge", person, 404, "mfa_factor_not_found"),
                    ("/factors/\(UUID().uuidString)/verify", person, 404, "mfa_factor_not_found"),
                    ("/factors/\(UUID().uuidString)", person, 404, "mfa_factor_not_found"),
                    ("/invite", nil, 401, "no_authorization"), ("/invite", person, 403, "not_admin"),
                    ("/invite", key, 404, "feature_disabled"), ("/admin/invite", key, 404, "feature_disabled"),
                    ("/admin/generate_link", person, 403, "not_admin"), ("/admin/generate_link", key, 404, "feature_disabled"),
                    ("/generate_link", key, 404, "feature_disabled"),
                    ("/user/identities/authorize", person, 404, "manual_linking_disabled"),
                    ("/passkeys", nil, 404, "passkey_disabled"), ("/oauth/token", nil, 404, "feature_disabled"),
                    ("\(mine)/factors/\(UUID().uuidString)", nil, 401, "no_authorization"),
                    ("\(mine)/factors/\(UUID().uuidString)", person, 403, "not_admin"),
                    ("\(mine)/factors/\(UUID().uuidString)", key, 404, "mfa_factor_not_found"),
                    ("\(mine)/factors/x", key, 404, "validation_failed"),
                    ("\(another)/factors/\(UUID().uuidString)", key, 404, "user_not_found"),
                    ("\(mine)/passkeys", person, 403, "not_admin"), ("\(mine)/passkeys", key, 404, "passkey_disabled"),
                    ("\(mine)/passkeys/\(UUID().uuidString)", key, 404, "passkey_disabled"),
                    ("\(another)/passkeys", key, 404, "user_not_found"),
                    ("/admin/custom-providers", person, 403, "not_admin"), ("/admin/custom-providers", key, 404, "feature_disabled"),
                    ("/admin/custom-providers/custom:x", key, 404, "feature_disabled"),
                    ("/admin/oauth/clients/x/regenerate_secret", key, 404, "feature_disabled"),
                    ("/admin/audit", person, 403, "not_admin"), ("/admin/audit", key, 404, "feature_disabled"),
                    ("/.well-known/openid-configuration", nil, 404, "feature_disabled"),
                ]
                for wanted in expected {
                    for method in [HTTPMethod.GET, .POST, .PUT, .PATCH, .DELETE] {
                        let answer = try await server.ask(
                            method, "/auth/v1" + wanted.path, token: wanted.token, json: method == .GET ? nil : "{}")
                        #expect(answer.status == wanted.status && answer.code == wanted.code, "\(method) \(wanted.path): \(answer)")
                        #expect(answer.headers["x-sb-error-code"] == [wanted.code])
                        #expect((answer.json["msg"] as? String)?.isEmpty == false && answer.json["code"] as? Int == wanted.status)
                    }
                }
                for kind in ["totp", "phone", "webauthn"] {
                    let answer = try await server.ask(
                        .POST, "/auth/v1/factors", token: person, json: #"{"factor_type":"\#(kind)"}"#,
                        headers: ["X-Supabase-Api-Version": "2024-01-01"])
                    #expect(answer.status == 422 && answer.json["code"] as? String == "mfa_\(kind)_enroll_not_enabled", "\(answer)")
                }
            }
        }
    }
}
