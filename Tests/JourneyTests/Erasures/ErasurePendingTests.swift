// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("The reference systems' calls while the account still exists")
struct ErasurePendingTests {
    private static let calls: [(method: HTTPMethod, path: String)] = [
        (.POST, "/functions/v1/delete-account"), (.POST, "/functions/v1/delete-user"), (.DELETE, "/me/account"),
        (.POST, "/rest/v1/rpc/delete_auth_user"),
    ]

    /// The answer's text about a deletion that has not happened.
    private static func told(_ answer: ServerAnswer, at path: String) throws -> [String: Any] {
        #expect(answer.status == 202, "\(path) \(answer)")
        #expect(!answer.text.lowercased().contains("deleted successfully"), "\(path) \(answer)")
        return path.hasPrefix("/functions") ? try #require(answer.json["data"] as? [String: Any], "\(answer)") : answer.json
    }

    @Test(
        "SV-1 SV-2 SV-3 SV-7 BX-9 in grace and on hold the calls get 202 with the state, and the account keeps its data",
        arguments: SQLDialect.allCases)
    func graceAndHold(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 5) { place in
            let before = try await place.rows(without: [], of: .app)
            let users = try await place.users()
            try await place.place.serving(place.settings("grace-days: 7")) { server in
                for (index, call) in Self.calls.enumerated() {
                    let mine = try await place.signIn(index, server)
                    let grace = try Self.told(try await server.ask(call.method, call.path, token: mine.access), at: call.path)
                    #expect(grace["state"] as? String == "grace" && grace["is_held"] as? Bool == false, "\(grace)")
                    #expect(grace["message"] as? String == "User account will be deleted", "\(grace)")
                    #expect(grace["grace_until"] is String && grace["due_at"] is String, "\(grace)")
                    let systems: [String: Bool]? = call.path == "/me/account" ? ["rows": false] : nil
                    #expect(grace["deleted"] as? [String: Bool] == systems, "\(grace)")
                    #expect(try await server.isAccepted(mine.access), "in grace the person is still there")

                    let id = try #require(grace["id"] as? String, "\(grace)")
                    let operators = try server.serviceKey()
                    let held = try await server.ask(
                        .PUT, "/v1/erasures/\(id)/hold", token: operators, json: #"{"reason":"lawsuit 7"}"#)
                    #expect(held.status == 200, "\(held)")
                    let hold = try Self.told(try await server.ask(call.method, call.path, token: mine.access), at: call.path)
                    #expect(hold["id"] as? String == id && hold["is_held"] as? Bool == true, "\(hold)")
                    #expect(hold["message"] as? String == "User account deletion is on hold", "\(hold)")
                    #expect(!"\(hold)".contains("lawsuit"), "\(hold)")
                    if index == 0 { try await expectWaiting(place.place) }

                    let back = try await server.ask(.DELETE, "/v1/erasures/\(id)", token: mine.access)
                    #expect(back.json["state"] as? String == "cancelled", "\(back)")
                }
            }
            #expect(try await place.rows(without: [], of: .app) == before)
            #expect(Set(try await place.users()).isSuperset(of: users))
        }
    }

    /// The commands say that an erasure waits and why, not that its process is gone or that one holds it.
    private func expectWaiting(_ place: ServerPlace) async throws {
        let words = ["--database", place.address, "--plan", "plan.yaml", "--state", place.state.path]
        let doctor = try await place.call(["doctor"] + words)
        #expect(doctor.output.contains("1 erasure waiting") && !doctor.output.contains("abandoned"), "\(doctor)")
        let resumed = try await place.call(["erase", "--resume"] + words)
        #expect(resumed.output.contains("1 erasure waiting") && !resumed.output.contains("held by a process"), "\(resumed)")
        let status = try await place.call(["status", "--open"] + words.dropLast(2))
        #expect(status.output.contains("on hold: lawsuit 7; the user can cancel until 20"), "\(status)")
    }

    @Test(
        "SV-1 SV-2 SV-9 a waiting caller gets 202 while no worker runs, and 200 once the account is gone",
        arguments: SQLDialect.allCases)
    func underWay(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 4) { place in
            let settings = place.settings("concurrency: 0").replacing("wait: 180", with: "wait: 1")
            let asked = Guarded<[SignedIn]>([])
            try await place.place.serving(settings) { server in
                for (index, call) in Self.calls.prefix(3).enumerated() {
                    let mine = try await place.signIn(index, server)
                    let waiting = try Self.told(try await server.ask(call.method, call.path, token: mine.access), at: call.path)
                    #expect(waiting["state"] as? String == "requested" && waiting["is_held"] as? Bool == false, "\(waiting)")
                    #expect(waiting["message"] as? String == "User account is being deleted", "\(waiting)")
                    asked.withLock { $0.append(mine) }
                }
            }
            #expect(try await place.count(0) > 10, "no worker ran")
            try await place.place.serving(place.settings()) { server in
                for (mine, call) in zip(asked.withLock { $0 }, Self.calls) {
                    let done = try await server.ask(call.method, call.path, token: mine.access)
                    let says = call.path == "/me/account" ? "User account deleted successfully" : #"{"data":{"success":true}}"#
                    #expect(done.status == 200 && done.text.contains(says), "\(call.path) \(done)")
                }
            }
            for index in 0..<3 { #expect(try await place.count(index) == 0) }
            #expect(try await place.count(3) > 10)
        }
    }
}
