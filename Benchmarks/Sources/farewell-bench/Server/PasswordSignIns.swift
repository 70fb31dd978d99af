// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOHTTP1

/// Signing in by password, beside what the cores can hash; and many more at once than can be served.
struct PasswordSignIns: Comparison {
    let name = "passwords"
    let title = "sign-in by password at the standard cost, beside the hashes that all cores make"
    private static let password = "correct horse battery staple"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let seconds = world.isQuick ? 8 : 30
        return try await SessionFixture.with(.postgresql, in: world) { house in
            // The benchmark receives no mail, so it cannot confirm addresses.
            let server = try await house.serve(["FAREWELL_PEOPLE_EMAIL_CONFIRMATION": "automatic"])
            do {
                let accounts = try await signUp(16, at: server.address, in: world)
                let before = try await BareSessionCosts.hashes(seconds: seconds)
                let load = HTTPLoad(script: "password", lines: accounts, arguments: [Self.password], seconds: seconds)
                let usual = try await load.run(against: server.address).checked()
                let after = try await BareSessionCosts.hashes(seconds: seconds)
                let hashes = (before + after) / 2
                let memory = server.memory ?? 0
                let flood = try await HTTPLoad(
                    script: "password", lines: accounts, arguments: [Self.password], connections: 200, seconds: seconds
                ).run(against: server.address)
                guard flood.bad == 0, flood.busy > 0 else {
                    throw FarewellError("bench.flood", .ours, "A flood was not refused as it should be: \(flood).")
                }
                let grown = (server.memory ?? 0) - memory
                await server.stop()
                return [
                    Report.Line(
                        what: "16 connections", ours: usual.text, baseline: "\(hashes.short) hashes/s",
                        ratio: usual.rate / hashes, target: .atLeast(0.9)),
                    Report.Line(
                        what: "200 connections; the others were answered 429 or 503: \(flood.busy)", ours: flood.text,
                        baseline: "\(hashes.short) hashes/s", ratio: flood.rate / hashes),
                    Report.Line(what: "memory that the flood added", ours: "\(grown.short) MiB", baseline: ""),
                ]
            } catch {
                await server.stop()
                throw error
            }
        }
    }

    /// People with a password.
    private func signUp(_ count: Int, at server: String, in world: BenchWorld) async throws -> URL {
        var lines = ""
        // As many lines as a flood has connections: people take turns.
        for number in 0..<count {
            var request = HTTPClientRequest(url: server + "/auth/v1/signup")
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            let email = "person-\(number)@example.org"
            request.body = .bytes(ByteBuffer(string: #"{"email":"\#(email)","password":"\#(Self.password)"}"#))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            _ = try await response.body.collect(upTo: 1 << 16)
            guard response.status == .ok else { throw FarewellError("bench.sign-up", .ours, "A sign-up was refused.") }
            lines += email + "\n"
        }
        let file = world.folder.appending(path: "accounts-\(UUID().uuidString)")
        try Data(String(repeating: lines, count: 256 / count).utf8).write(to: file)
        return file
    }
}
