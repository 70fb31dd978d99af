// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

@testable import FarewellVerifier

extension Hostile {
    // MARK: Item 15: the structure of a token

    static let structure: [Hostile] =
        ["", ".", "..", "...", "a.b.c", "null", "{}", "[]"].map { (text: String) in Hostile("the text \(text)", .malformed) { _ in text } }
        + [
            text("two segments", .malformed) { $0.split(separator: ".").prefix(2).joined(separator: ".") },
            text("four segments", .malformed) { $0 + ".AA" },
            text("five segments, as if encrypted", .malformed) { $0 + "..AA" },
            text("an empty segment before", .malformed) { "." + $0 },
            text("an empty segment after", .malformed) { $0 + "." },
            text("space before", .malformed) { " " + $0 },
            text("a new line after", .malformed) { $0 + "\n" },
            text("the scheme before", .malformed) { "Bearer " + $0 },
            text("in quotes", .malformed) { "\"\($0)\"" },
            text("padding after every segment", .malformed) { $0.split(separator: ".").map { $0 + "=" }.joined(separator: ".") },
            text("padding after the signature", .malformed) { $0 + "==" },
            text("dots of percent", .malformed) { $0.replacing(".", with: "%2E") },
            text("wide dots", .malformed) { $0.replacing(".", with: "．") },
            text("all in capitals", .malformed) { $0.uppercased() },
            text("a byte of zero", .malformed) { $0 + "\u{0}" },
            text("twice", .malformed) { $0 + $0 },
            text("ten thousand segments", .malformed) { $0 + String(repeating: ".", count: 10_000) },
            text("a signature of a megabyte", .malformed) { $0 + String(repeating: "A", count: 1 << 20) },
            text("as JSON", .malformed) { token in
                let parts = token.split(separator: ".")
                return #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
            },
            header("a header of a megabyte", .malformed) { header, _ in header["x"] = .string(String(repeating: "x", count: 1 << 20)) },
            header("a header of three KiB", .malformed) { header, _ in header["x"] = .string(String(repeating: "x", count: 3 << 10)) },
            claims("claims of a megabyte", .malformed) { claims, _ in claims["x"] = .string(String(repeating: "x", count: 1 << 20)) },
            payload("claims nested ten thousand deep", .malformed) {
                $0.dropLast() + ",\"x\":" + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}"
            },
            payload("claims nested forty-one deep", .malformed) {
                $0.dropLast() + ",\"x\":" + String(repeating: "{\"a\":", count: 40) + "1" + String(repeating: "}", count: 40) + "}"
            },
            payload("claims in an array", .malformed) { "[\($0)]" },
            payload("claims that are text", .malformed) { _ in "\"claims\"" },
            payload("no claims", .malformed) { _ in "" },
            payload("a mark of byte order", .malformed) { "\u{feff}" + $0 },
            payload("something after the claims", .malformed) { $0 + "{}" },
            payload("a byte of zero after the claims", .malformed) { $0 + "\u{0}" },
            payload("a comment in the claims", .malformed) { $0.dropLast() + "/**/}" },
            payload("a comma too many", .malformed) { $0.dropLast() + ",}" },
            payload("half a surrogate pair", .malformed) { $0.dropLast() + #","x":"\ud83d"}"# },
            payload("exp is NaN", .malformed) { $0.replacing("\"exp\":\(Trial.second + 600)", with: "\"exp\":NaN") },
            payload("exp is Infinity", .malformed) { $0.replacing("\"exp\":\(Trial.second + 600)", with: "\"exp\":Infinity") },
            payload("exp is 1e999", .malformed) { $0.replacing("\"exp\":\(Trial.second + 600)", with: "\"exp\":1e999") },
            payload("exp in hexadecimal", .malformed) { $0.replacing("\"exp\":\(Trial.second + 600)", with: "\"exp\":0xffffffff") },
        ]
        + ["exp", "sub", "iss", "iat"].map { claim in
            payload("\(claim) twice", .malformed) { "{\"\(claim)\":\"first\"," + $0.dropFirst() }
        }
        + [
            payload("exp twice, the second spelled otherwise", .malformed) { $0.dropLast() + #","\u0065xp":9999999999}"# },
            Hostile("alg twice", .malformed) { try doubled($0, #""alg":"none""#) },
            Hostile("kid twice", .malformed) { trial in trial.key.id == nil ? nil : try doubled(trial, #""kid":"other""#) },
            Hostile("typ twice", .malformed) { try doubled($0, #""typ":"JWT""#) },
            Hostile("alg twice, the first spelled otherwise", .malformed) { try doubled($0, #""\u0061lg":"none""#) },
            Hostile("a header that is no UTF-8", .malformed) { trial in
                let parts = try trial.token().split(separator: ".")
                let header = Array("{\"alg\":\"ES256\",\"x\":\"".utf8) + [0xff, 0xfe] + Array("\"}".utf8)
                return "\(Base64URL.text(header)).\(parts[1]).\(parts[2])"
            },
            Hostile("a header nested ten thousand deep", .malformed) { trial in
                try trial.token(String(repeating: "{\"alg\":", count: 300) + "1" + String(repeating: "}", count: 300), "{}")
            },
        ]

    private static func doubled(_ trial: Trial, _ member: String) throws -> String {
        try trial.token("{\(member)," + json(trial.header).dropFirst(), Trial.text(trial.claims))
    }
}
