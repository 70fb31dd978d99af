// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
@testable import FarewellServer
import FarewellVerifier
import Foundation
import HTTPTypes
import Logging
import Testing

@Suite("The log level of a refusal")
struct RefusalLogTests {
    private let lines = Guarded<[String]>([])

    private var log: Logger {
        let lines = lines
        return Logger(label: "test") { _ in
            ServerLog(.json, level: .trace) { line in lines.withLock { $0.append(line) } }
        }
    }

    private func alarms() -> [String] {
        lines.withLock { $0.filter { $0.contains("\"error\"") || $0.contains("\"critical\"") || $0.contains("\"warning\"") } }
    }

    /// The errors that any caller can cause, with the status of the answer.
    private static var strangers: [(error: any Error, place: ErrorStatus.Place)] {
        var all: [(error: any Error, place: ErrorStatus.Place)] = []
        for place in [ErrorStatus.Place.caller, .grant, .named] {
            all += ErrorStatus.contract.keys.sorted().map {
                (FarewellError(.init(rawValue: "auth.\($0)"), .yoursToFix, "words"), place)
            }
            all += [ErrorStatus.erasures, ErrorStatus.exports].flatMap(\.keys).sorted().map {
                (FarewellError(.init(rawValue: $0), .yoursToFix, "words"), place)
            }
            all += TokenRefusal.allCases.filter { $0.family == .yoursToFix }.map {
                (ErrorWithStatus(.unauthorized, $0.error), place)
            }
            all.append((PageExchange.staleForm, place))
            all.append((TooManyCalls(retryAfter: 1), place))
            all.append((BrokenBody(), place))
            all.append((BodyCollection.tooLarge, place))
            all.append((ParserRefusals.unreadable, place))
        }
        return all
    }

    @Test("SC-4 a 4xx answer is never logged above info, whatever its code, and is counted")
    func table() {
        let registry = MetricsRegistry()
        let refusals = RefusalLog(metrics: ServerMetrics(registry))
        for (error, place) in Self.strangers {
            let answer = ErrorAnswer(of: error, at: place)
            guard answer.status.code < 500 else { continue }
            refusals.record(error, answer, log)
            #expect(RefusalLog.level(answer.status, error) == .info, "\(error)")
        }
        #expect(alarms().isEmpty)
        for code in ["page.form", "token.key", "bad_jwt", "erasure.unknown", "over_request_rate_limit", "bad_request"] {
            #expect(registry.exposition.contains("farewell_refusals_total{code=\"\(code)\"}"), "\(code)")
        }
    }

    @Test("SC-4 a temporary error is a warning, and only an error that needs a person is an error in the log")
    func levels() {
        let passing = ["auth.request_timeout", "auth.overloaded", "sql.08006", "erasure.busy", "token.keys-unavailable"]
        for code in passing {
            let error = FarewellError(.init(rawValue: code), .tryAgain, "words")
            #expect(RefusalLog.level(ErrorStatus.status(of: error), error) == .warning, "\(code)")
        }
        let ours = FarewellError("keys.other", .ours, "words")
        #expect(RefusalLog.level(ErrorStatus.status(of: ours), ours) == .error)
        #expect(RefusalLog.level(.internalServerError, ErrorStatusTrouble()) == .error)
    }

    @Test("SC-4 no stranger causes a line of level error: tokens of unknown keys, pages without our form, malformed bodies")
    func strangers() async throws {
        let issuer = try TrustedIssuer.supabase("https://abc.example", keys: .secret(String(repeating: "s", count: 40)))
        try await ErasureMount.with(foreign: [issuer], isWorking: .off, pages: PageSettings(), log: log) { mount in
            let now = Int(Date(timeIntervalSinceNow: 0).timeIntervalSince1970)
            let forged = ErasureMount.token(
                ["iss": "https://abc.example/auth/v1", "sub": "x", "aud": "authenticated", "iat": now, "exp": now + 60],
                secret: String(repeating: "t", count: 40))
            let parts = forged.split(separator: ".")
            let header = Base64URL.text(Array(#"{"alg":"HS256","kid":"nobodys","typ":"JWT"}"#.utf8))
            for token in [forged, "\(header).\(parts[1]).\(parts[2])"] {
                for (method, path) in [
                    (HTTPRequest.Method.post, "/v1/erasures"), (.delete, "/me/account"), (.get, "/v1/erasures/preview"),
                    (.post, "/functions/v1/delete-account"), (.post, "/rest/v1/rpc/delete_auth_user"),
                ] {
                    let answer = try await mount.ask(method, path, token: token, ["Idempotency-Key": "k"])
                    #expect(answer.status == 401, "\(path) \(answer)")
                }
            }
            for path in mount.server.pageRoutes.filter({ $0.method == .post && $0.path != LinkPages.path }).map(\.path) {
                let answer = try await mount.ask(
                    .post, path, json: "a=b", ["Content-Type": "application/x-www-form-urlencoded"])
                #expect(answer.status == 403, "\(path) \(answer)")
            }
            for body in ["", "{", "[]", "{\"a\":1,\"a\":2}", "\u{0}"] {
                for route in mount.server.routes where route.method == .post && route.duration == .bounded {
                    let answer = try await mount.ask(.post, route.path.replacing("{id}", with: "x"), json: body)
                    #expect((400..<500).contains(answer.status), "\(route.path) \(answer)")
                }
            }
            #expect(alarms().isEmpty, "\(alarms())")
        }
    }
}

private struct ErrorStatusTrouble: Error {}
