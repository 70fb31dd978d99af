// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

@testable import FarewellVerifier

extension Hostile {
    // MARK: Item 7: the issuer

    static let issuers: [Hostile] =
        claim("iss", [nil, .null, 1, "", .array([]), .object([:]), "https://evil.example", "evil", "*"], .issuer)
        + lookalikes.map { name, change in
            claims("iss \(name)", .issuer) { claims, _ in claims["iss"] = claims["iss"]?.string.map { .string(change($0)) } }
        }
        + [
            claims("iss in an array", .issuer) { claims, _ in claims["iss"] = claims["iss"].map { .array([$0]) } }
        ]

    private static let lookalikes: [(String, @Sendable (String) -> String)] = [
        ("with a slash after", { $0 + "/" }), ("in capitals", { $0.uppercased() }), ("of HTTP", { $0.replacing("https:", with: "http:") }),
        ("with a space after", { $0 + " " }), ("with a space before", { " " + $0 }), ("with a byte of zero", { $0 + "\u{0}" }),
        ("with a foreign name after it", { $0 + ".evil.example" }),
        ("with a foreign name before it", { $0.replacing("://", with: "://evil.") }),
        ("as a name of user", { $0.replacing("://", with: "://evil@") }), ("a character less", { String($0.dropLast()) }),
        ("with the sign for kelvin", { $0.contains("K") ? $0.replacing("K", with: "\u{212a}") : "https://\u{212a}" }),
        ("with a letter of Cyrillic", { $0.replacing("a", with: "\u{430}") }), ("with a port", { $0.replacing("://", with: ":443://") }),
        ("with a fragment", { $0 + "#" }), ("with a query", { $0 + "?" }), ("with a joiner of no width", { $0 + "\u{200d}" }),
    ]

    // MARK: Item 8: the audience

    static let audiences: [Hostile] =
        ([
            nil, .null, 1, true, "", "other", "authenticated ", "Authenticated", "authenticate", "*", "\u{0}", .array([]),
            .array([""]), .array([1]), .array([.null]), .array(["other"]), .array([.array(["authenticated"])]), .object([:]),
        ] as [JSONValue?]).map { value in
            claims("audience \(value.map { "\($0)" } ?? "missing")", .audience) { claims, trial in claims[trial.audience] = value }
        }
        + [
            claims("the right audience beside a number", .audience) { claims, trial in
                claims[trial.audience] = .array([right(trial), 1])
            },
            claims("the right audience among a hundred", .audience) { claims, trial in
                claims[trial.audience] = .array([right(trial)] + (0..<100).map { .string("a\($0)") })
            },
            claims("the right audience inside an object", .audience) { claims, trial in
                claims[trial.audience] = .object(["0": right(trial)])
            },
            claims("the right audience with the sign for kelvin", .audience) { claims, trial in
                let name = right(trial).string ?? ""
                claims[trial.audience] = .string(name.contains("K") ? name.replacing("K", with: "\u{212a}") : name + "\u{212a}")
            },
            claims("an identity token for several audiences, of another party", .audience) { claims, trial in
                guard trial.testDescription.hasPrefix("Apple") || trial.testDescription.hasPrefix("Google") else { return }
                claims["aud"] = .array([right(trial), "evil"])
                claims["azp"] = "evil"
            },
        ]

    private static func right(_ trial: Trial) -> JSONValue {
        let value = trial.claims[trial.audience] ?? .null
        return value.array?.first ?? value
    }

    // MARK: Item 10: the times

    static let times: [Hostile] =
        claim(
            "exp", [nil, .null, -1, 9_223_372_036_854_775_807, 253_402_300_800, "1", "9999999999", "1e99", true, .array([]), .object([:])],
            .claims)
        + claim("exp", [.number(1e99), .number(9_999_999_999.5), .number(9_223_372_036_854_775_808), .number(-1.5)], .claims)
        + claim("exp", [0, 1, .integer(Trial.second - 30), .integer(Trial.second - 31)], .time)
        + claim("exp", [9_007_199_254, 253_402_300_799], .time)
        + [
            claims("exp a second beyond what its issuer may give", .time) { claims, trial in
                claims["exp"] = .integer(Trial.second - 59 + trial.longestLife)
            }
        ]
        + claim("exp", [9_007_199_254_740_992, 9_007_199_254_740_993], .claims)
        + claim("iat", [.null, -1, "1", .number(1.5), true, 9_223_372_036_854_775_807], .claims)
        + [
            claims("iat missing, where its issuer always writes it", .claims) { claims, trial in
                if !trial.testDescription.hasPrefix("OpenID") { claims["iat"] = nil }
            }
        ]
        + claim("iat", [.integer(Trial.second + 31), .integer(Trial.second + 3600), 0], .time)
        + claim("nbf", [.null, -1, "1", .number(1.5), .number(1e99), false, .array([])], .claims)
        + claim("nbf", [.integer(Trial.second + 31), 9_999_999_999], .time)
        + [
            payload("exp with an exponent", .claims) { $0.replacing("\"exp\":\(Trial.second + 600)", with: "\"exp\":1790000600e0") },
            payload("exp with a fraction of nothing", .claims) {
                $0.replacing("\"exp\":\(Trial.second + 600)", with: "\"exp\":\(Trial.second + 600).0")
            },
        ]

    // MARK: Items 9, 11: the rest

    static let otherClaims: [Hostile] =
        claim(
            "sub",
            [nil, .null, 1, "", .array([]), "a\u{0}b", "a\nb", "ü", "\u{212a}", .string(String(repeating: "s", count: 256))],
            .claims
        )
        + claim("name", ["a\u{0}b", .array([.object(["b\u{0}": 1])])], .claims)
        + claim(
            "events", [.object([:]), .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])]), "x", .null], .purpose)
        + [
            claims("the other use of Cognito", .purpose) { claims, _ in
                guard let use = claims["token_use"]?.string else { return }
                claims["token_use"] = use == "id" ? "access" : "id"
                claims["aud"] = "Kestrel"
                claims["client_id"] = "Kestrel"
            },
            claims("no use of Cognito", .purpose) { claims, _ in claims["token_use"] = nil },
            claims("an unknown use of Cognito", .purpose) { claims, _ in
                if claims["token_use"] != nil { claims["token_use"] = "refresh" }
            },
            claims("Firebase without a time of authentication", .claims) { claims, trial in
                if trial.testDescription.hasPrefix("Firebase") { claims["auth_time"] = nil }
            },
            claims("authenticated in the future", .time) { claims, _ in claims["auth_time"] = .integer(Trial.second + 120) },
            claims("authenticated at no time", .claims) { claims, _ in claims["auth_time"] = "yesterday" },
            claims("Farewell without a session", .claims) { claims, trial in
                if trial.testDescription.hasPrefix("Farewell") { claims["session_id"] = nil }
            },
        ]
        + ([1, .null, "", .array([]), "a\nb"] as [JSONValue]).map { value in
            claims("session \(value)", .claims) { claims, _ in
                for name in ["session_id", "origin_jti", "sid"] where claims[name] != nil { claims[name] = value }
            }
        }
}
