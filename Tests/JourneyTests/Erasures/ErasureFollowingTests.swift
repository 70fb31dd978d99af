// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("The progress of running erasures")
struct ErasureFollowingTests {
    @Test(
        "SV-9 the events of an erasure appear while it runs, over HTTP, even if another process is its worker",
        arguments: SQLDialect.allCases)
    func followed(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 4) { place in
            let neighbours = try await place.rows(without: [1])
            let port = try await Python.freePort()
            try addBilling(at: port, to: place)
            let isApart = dialect == .postgresql
            try await place.place.serving(place.settings(isApart ? "concurrency: 0" : "")) { server in
                let mine = try await place.signIn(1, server)
                let follow: @Sendable () async throws -> Void = {
                    let end = try await Python.run("Interop/follow_erasure.py", [server.url, port, mine.access])
                    #expect(end.status == 0, "\(end)")
                }
                if isApart {
                    try await place.working(place.settings("concurrency: 1")) { _ in try await follow() }
                } else {
                    try await follow()
                }
            }
            #expect(try await place.rows(without: []) == neighbours)
        }
    }

    /// A third-party system, for which the erasure must wait.
    private func addBilling(at port: String, to place: ErasurePlace) throws {
        let key = place.place.folder.appendingPathComponent("billing.key")
        try Data("key".utf8).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let plan = place.place.folder.appendingPathComponent("plan.yaml")
        let systems = """

            systems:
              billing:
                kind: revenuecat
                settings: {project: shop, endpoint: "http://127.0.0.1:\(port)"}
                secrets:
                  key: {file: "\(key.path)"}

            """
        try Data((String(contentsOf: plan, encoding: .utf8) + systems).utf8).write(to: plan)
    }
}
