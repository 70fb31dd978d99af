// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
@testable import FarewellServer
import Foundation
import HTTPTypes
import Testing

@Suite("Exports over HTTP")
struct ExportRouteTests {
    /// The files below the folder of exports, and the folders of exports.
    private static func files(_ mount: ErasureMount) -> [String] {
        let all = FileManager.default.enumerator(atPath: mount.folder + "/state/exports")?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains("/") }
    }

    /// Requests an export and waits for its end.
    private static func ended(
        _ person: ErasureMount.Person, _ mount: ErasureMount, _ fields: [String: String] = [:]
    ) async throws -> ErasureMount.Answer {
        let asked = try await mount.ask(.post, "/v1/exports", token: person.token, fields)
        try #require(asked.status == 202, "\(asked)")
        return try await end(asked, person, mount)
    }

    /// Waits for the end of an export that was accepted.
    private static func end(
        _ asked: ErasureMount.Answer, _ person: ErasureMount.Person, _ mount: ErasureMount
    ) async throws -> ErasureMount.Answer {
        let path = try #require(asked.headers[.location], "\(asked)")
        #expect(path == "/v1/exports/\(asked.json["id"] ?? "")")
        while true {
            let answer = try await mount.ask(.get, path, token: person.token)
            if answer.status != 200 || ["ready", "failed"].contains(answer.json["state"] as? String) { return answer }
        }
    }

    @Test("EX-3 an export needs a recent sign-in or a proof for this act, and a subject has one export at a time")
    func requested() async throws {
        try await ErasureMount.with(isWorking: .off, exports: ExportRules(), exportsPerDay: 2) { mount in
            let anna = try await mount.person()
            mount.ahead.withLock { $0 = 600 }
            let stale = try await mount.ask(.post, "/v1/exports", token: anna.token)
            #expect(stale.status == 403 && stale.code == "erasure.sign-in-stale", "\(stale)")
            #expect(stale.headers[.wwwAuthenticate]?.contains("insufficient_user_authentication") == true)
            func proof(_ action: String) async throws -> [String: String] {
                let answer = try await mount.ask(
                    .post, "/v1/step-ups", token: anna.token, json: #"{"action":"\#(action)","password":"\#(ErasureMount.password)"}"#)
                return ["X-Farewell-Step-Up": try #require(answer.json["step_up"] as? String, "\(answer)")]
            }
            let other = try await mount.ask(.post, "/v1/exports", token: anna.token, try await proof("request erasure"))
            #expect(other.status == 403 && other.code == "erasure.step-up-invalid", "\(other)")
            let ready = try await Self.ended(anna, mount, try await proof("request export"))
            #expect(ready.json["state"] as? String == "ready", "\(ready)")
            let id = try #require(ready.json["id"] as? String)
            // A request that is refused for another reason leaves the proof unspent.
            let unspent = try await proof("request export")
            let second = try await mount.ask(.post, "/v1/exports", token: anna.token, unspent)
            #expect(second.status == 409 && second.code == "export.live", "\(second)")
            #expect(try await mount.ask(.get, "/v1/exports", token: anna.token).json["id"] as? String == id)
            let archive = try await mount.ask(.get, "/v1/exports/\(id)/archive", token: anna.token)
            #expect(archive.status == 200 && archive.headers[.contentType] == "application/zip" && archive.text.hasPrefix("PK"))
            #expect(archive.headers[.cacheControl] == "no-store")
            #expect(archive.headers[.contentLength] == "\(ready.json["archive_bytes"] ?? "")")

            let removed = try await mount.ask(.delete, "/v1/exports/\(id)", token: anna.token)
            #expect(removed.status == 204 && removed.text.isEmpty && Self.files(mount).isEmpty)
            for path in ["", "/\(id)", "/\(id)/archive"] {
                #expect(try await mount.ask(.get, "/v1/exports\(path)", token: anna.token).status == 404)
            }
            #expect(try await mount.ask(.delete, "/v1/exports/\(id)", token: anna.token).status == 404)
            let next = try await Self.ended(anna, mount, unspent)
            #expect(try await mount.ask(.delete, "/v1/exports/\(next.json["id"] ?? "")", token: anna.token).status == 204)
            for proof in [try await proof("request export"), ["X-Farewell-Step-Up": "wrong"], [:]] {
                let third = try await mount.ask(.post, "/v1/exports", token: anna.token, proof)
                #expect(third.status == 429 && third.headers[.retryAfter].flatMap { Int($0) } ?? 0 > 60, "\(third)")
            }
        }
    }

    @Test("EX-3 unproved requests use up no allowance, and only one of many requests with one proof is accepted")
    func allowance() async throws {
        try await ErasureMount.with(isWorking: .off, exports: ExportRules(), exportsPerDay: 1) { mount in
            let anna = try await mount.person()
            mount.ahead.withLock { $0 = 600 }
            for _ in 1...3 {
                #expect(try await mount.ask(.post, "/v1/exports", token: anna.token).code == "erasure.sign-in-stale")
            }
            #expect(try await mount.ask(.get, "/v1/exports", token: anna.token).status == 404)
            let answer = try await mount.ask(
                .post, "/v1/step-ups", token: anna.token, json: #"{"action":"request export","password":"\#(ErasureMount.password)"}"#)
            let proof = ["X-Farewell-Step-Up": try #require(answer.json["step_up"] as? String)]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...5 { group.addTask { try await mount.ask(.post, "/v1/exports", token: anna.token, proof).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 202 } == 1 && statuses.allSatisfy { [202, 409].contains($0) }, "\(statuses)")
        }
    }

    @Test("EX-3 only the subject sees, reads and removes an export: other users, operators and callers without a token get nothing")
    func others() async throws {
        try await ErasureMount.with(isWorking: .off, exports: ExportRules()) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            let ready = try await Self.ended(anna, mount)
            let id = try #require(ready.json["id"] as? String)
            let callers: [(token: String?, statuses: [Int])] = [
                (other.token, [404]), (ErasureMount.operatorToken, [401, 403]), (nil, [401]),
            ]
            for (token, statuses) in callers {
                for (method, path) in [(HTTPRequest.Method.get, ""), (.get, "/archive"), (.delete, "")] {
                    let answer = try await mount.ask(method, "/v1/exports/\(id)\(path)", token: token)
                    #expect(statuses.contains(answer.status) && !answer.text.contains(anna.id), "\(method) \(path) \(answer)")
                }
            }
            #expect(try await mount.ask(.get, "/v1/exports/\(id)/archive", token: anna.token).status == 200)
            let out = try await mount.ask(.post, "/auth/v1/logout", token: anna.token)
            #expect(out.status == 204)
            let late = try await mount.ask(.get, "/v1/exports/\(id)/archive", token: anna.token)
            #expect([401, 403].contains(late.status), "a token whose session has ended: \(late)")
        }
    }

    @Test("EX-3 outside the session that requested an export, its archive needs a recent sign-in or a proof for this act")
    func otherSession() async throws {
        try await ErasureMount.with(isWorking: .off, exports: ExportRules()) { mount in
            let anna = try await mount.person()
            let signedIn = try await mount.ask(
                .post, "/auth/v1/token?grant_type=password",
                json: #"{"email":"\#(anna.email)","password":"\#(ErasureMount.password)"}"#)
            let other = try #require(signedIn.json["access_token"] as? String, "\(signedIn)")
            let ready = try await Self.ended(anna, mount)
            let path = "/v1/exports/\(ready.json["id"] ?? "")/archive"
            #expect(try await mount.ask(.get, path, token: other).status == 200, "a recent sign-in")
            mount.ahead.withLock { $0 = 600 }
            #expect(try await mount.ask(.get, path, token: anna.token).status == 200, "the session that requested it")
            let stale = try await mount.ask(.get, path, token: other)
            #expect(stale.status == 403 && stale.code == "erasure.sign-in-stale" && !stale.text.hasPrefix("PK"), "\(stale)")
            let confirmed = try await mount.ask(
                .post, "/v1/step-ups", token: other, json: #"{"action":"request export","password":"\#(ErasureMount.password)"}"#)
            let proof = ["X-Farewell-Step-Up": try #require(confirmed.json["step_up"] as? String, "\(confirmed)")]
            #expect(try await mount.ask(.get, path, token: other, proof).status == 200, "a proof")
            let again = try await mount.ask(.get, path, token: other, proof)
            #expect(again.status == 403 && again.code == "erasure.step-up-invalid", "\(again)")
        }
    }

    @Test("EX-3 an export that is too large fails, leaves nothing, and does not block another one")
    func large() async throws {
        var rules = ExportRules()
        rules.bytes = 1_500
        rules.totalBytes = 1
        try await ErasureMount.with(isWorking: .off, exports: rules) { mount in
            let anna = try await mount.person()
            for _ in 1...2 {
                let failed = try await Self.ended(anna, mount)
                #expect(failed.json["state"] as? String == "failed" && failed.json["cause"] as? String == "export.too-large", "\(failed)")
                let id = try #require(failed.json["id"] as? String)
                let archive = try await mount.ask(.get, "/v1/exports/\(id)/archive", token: anna.token)
                #expect(archive.status == 409 && archive.code == "export.not-ready", "\(archive)")
                #expect(Self.files(mount).isEmpty)
            }
        }
    }

    @Test("EX-3 OP-3 an export ends by the time that passes: a clock that is set forwards or back neither ends nor keeps it")
    func life() async throws {
        var rules = ExportRules()
        rules.life = 30
        let (ahead, passed) = (Guarded(TimeInterval(0)), Guarded(Duration.zero))
        try await ErasureMount.with(
            isWorking: .off, exports: rules,
            changing: { environment, _ in
                environment.now = { Date().addingTimeInterval(ahead.withLock { $0 }) }
                environment.uptime = { passed.withLock { $0 } }
            },
            { mount in
                let anna = try await mount.person()
                let ready = try await Self.ended(anna, mount)
                #expect(ready.json["state"] as? String == "ready", "\(ready)")
                let path = "/v1/exports/\(ready.json["id"] ?? "")"
                ahead.withLock { $0 = 600 }
                #expect(try await mount.ask(.get, path, token: anna.token).status == 200, "the clock was set forwards")
                passed.withLock { $0 = .seconds(29) }
                #expect(try await mount.ask(.get, path, token: anna.token).status == 200)
                ahead.withLock { $0 = -50 }
                passed.withLock { $0 = .seconds(30) }
                #expect(try await mount.ask(.get, path, token: anna.token).status == 404, "the clock was set back")
            })
    }

    @Test("EX-3 a server keeps no more exports than it has room for")
    func room() async throws {
        var rules = ExportRules()
        rules.totalBytes = 1
        try await ErasureMount.with(isWorking: .off, exports: rules) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            let ready = try await Self.ended(anna, mount)
            let refused = try await mount.ask(.post, "/v1/exports", token: other.token)
            #expect(refused.status == 503 && refused.code == "export.busy", "\(refused)")
            _ = try await mount.ask(.delete, "/v1/exports/\(ready.json["id"] ?? "")", token: anna.token)
            #expect(try await Self.ended(other, mount).json["state"] as? String == "ready")
        }
    }

    @Test("EX-3 exports that wait take no room: those of other users are accepted, and each is written once there is room")
    func waiting() async throws {
        var rules = ExportRules()
        rules.totalBytes = 1
        rules.concurrency = 0
        try await ErasureMount.with(isWorking: .off, exports: rules) { mount in
            for _ in 1...3 {
                let asked = try await mount.ask(.post, "/v1/exports", token: try await mount.person().token)
                #expect(asked.status == 202 && asked.json["state"] as? String == "waiting", "\(asked)")
            }
        }
        // An archive that leaves no room keeps others waiting until it is removed.
        rules.concurrency = 2
        try await ErasureMount.with(isWorking: .off, exports: rules) { mount in
            var people: [ErasureMount.Person] = []
            for _ in 1...3 { people.append(try await mount.person()) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people {
                    group.addTask {
                        var asked: ErasureMount.Answer
                        repeat {
                            asked = try await mount.ask(.post, "/v1/exports", token: person.token)
                        } while asked.code == "export.busy"
                        let ended = try await Self.end(asked, person, mount)
                        #expect(ended.json["state"] as? String == "ready", "\(ended)")
                        let path = "/v1/exports/\(ended.json["id"] ?? "")"
                        #expect(try await mount.ask(.delete, path, token: person.token).status == 204)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("EX-3 an erasure blocks new exports from its request on, and removes the subject's export before it ends")
    func erased() async throws {
        try await ErasureMount.with(exports: ExportRules()) { mount in
            let (anna, other) = (try await mount.person(), try await mount.person())
            _ = try await Self.ended(anna, mount)
            let kept = try #require(try await Self.ended(other, mount).json["id"] as? String)
            let done = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, ["Idempotency-Key": "k", "Prefer": "wait=60"])
            #expect(done.status == 200, "\(done)")
            let files = Self.files(mount)
            #expect(!files.isEmpty && files.allSatisfy { $0.contains(kept) }, "\(files)")
            #expect(try await mount.ask(.get, "/v1/exports/\(kept)/archive", token: other.token).status == 200)
        }
        try await ErasureMount.with(isWorking: .off, exports: ExportRules()) { mount in
            let anna = try await mount.person()
            _ = try await mount.asked(by: anna)
            let refused = try await mount.ask(.post, "/v1/exports", token: anna.token)
            #expect(refused.status == 409 && refused.code == "export.erasing", "\(refused)")
        }
    }

    @Test("EX-3 a server without the setting offers no export")
    func unoffered() async throws {
        try await ErasureMount.with(isWorking: .off) { mount in
            let anna = try await mount.person()
            #expect(try await mount.ask(.post, "/v1/exports", token: anna.token).status == 404)
            let description = try await mount.ask(.get, "/openapi.json")
            #expect(description.status == 200 && !description.text.contains("/v1/exports"))
        }
    }
}
