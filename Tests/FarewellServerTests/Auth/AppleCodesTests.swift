// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
@testable import FarewellServer
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@Suite("Authorization codes of Apple")
struct AppleCodesTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The requests that the token endpoint received, and the outcome of an exchange there.
    private func exchanged(_ status: HTTPResponse.Status, _ answer: String = "") async throws -> (
        forms: [String], elsewhere: Int, outcome: Result<String?, any Error>
    ) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apple-codes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("key.p8").path
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)

        let (forms, elsewhere) = (Guarded<[String]>([]), Guarded(0))
        let router = Router()
        router.post("token") { request, _ in
            let body = String(buffer: try await request.body.collect(upTo: 1 << 16))
            forms.withLock { $0.append(body) }
            return Response(
                status: status, headers: status.kind == .redirection ? [.location: "/elsewhere"] : [:],
                body: .init(byteBuffer: .init(string: answer)))
        }
        router.post("elsewhere") { _, _ in
            elsewhere.withLock { $0 += 1 }
            return #"{"refresh_token":"stolen"}"#
        }
        let outcome = Guarded<Result<String?, any Error>>(.success(nil))
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: log)
            .test(.live) { client in
                let port = try #require(client.port)
                let settings = AppleSettings(team: "T", keyID: "K", keyFile: file, tokens: "http://127.0.0.1:\(port)/token")
                let codes = try #require(try AppleCodes(settings, now: { Date(timeIntervalSince1970: 1_790_000_000) }))
                let result: Result<String?, any Error>
                do {
                    let provider = IdentityProvider.apple(clientIDs: ["app"])
                    result = .success(try await codes.refreshToken(for: "code-1", provider: provider, clientID: "app"))
                } catch {
                    result = .failure(error)
                }
                outcome.withLock { $0 = result }
            }
        return (forms.withLock { $0 }, elsewhere.withLock { $0 }, outcome.withLock { $0 })
    }

    @Test("a code is exchanged once, with a client secret that the key signed")
    func exchange() async throws {
        let (forms, _, outcome) = try await exchanged(.ok, #"{"refresh_token":"r-1"}"#)
        #expect(try outcome.get() == "r-1")
        let form = try #require(forms.first)
        #expect(forms.count == 1 && form.contains("code=code-1") && form.contains("client_id=app"))
        let secret = try #require(form.split(separator: "&").first { $0.hasPrefix("client_secret=") }).dropFirst(14)
        let token = try CompactToken(String(secret))
        #expect(token.algorithm == "ES256" && token.type == "jwt" && token.keyID == "K")
        #expect(token.unprovenClaims["iss"] == "T" && token.unprovenClaims["exp"] == 1_790_000_300)
    }

    @Test(
        "a redirect is not followed: code and client secret go to the configured address alone",
        arguments: [HTTPResponse.Status.found, .temporaryRedirect, .permanentRedirect])
    func redirect(_ status: HTTPResponse.Status) async throws {
        let (forms, elsewhere, outcome) = try await exchanged(status)
        #expect(forms.count == 1 && elsewhere == 0)
        let error = #expect(throws: FarewellError.self) { try outcome.get() }
        #expect(error?.code == "apple.code-refused" && error?.message.contains("\(status.code)") == true)
    }
}
