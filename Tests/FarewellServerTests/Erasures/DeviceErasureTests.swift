// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellErasure
import FarewellSQL
@testable import FarewellServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// Carries a device's requests to a server in the same process, without a network.
struct MountedTransport: HTTPTransport {
    let mount: ErasureMount

    func send(_ request: HTTPExchange.Request) async throws(ProviderFailure) -> HTTPExchange.Answer {
        var headers: HTTPFields = [:]
        for (name, value) in request.fields { headers[HTTPFieldNames.name(name)] = value }
        let path = request.url.path(percentEncoded: true) + (request.url.query(percentEncoded: true).map { "?\($0)" } ?? "")
        do {
            let answer = try await mount.client.execute(
                uri: path, method: HTTPRequest.Method(request.method) ?? .get, headers: headers,
                body: request.body.map { ByteBuffer(bytes: $0) })
            let fields = answer.headers.map { ($0.name.rawName, $0.value) }
            return HTTPExchange.Answer(
                status: Int(answer.status.code), fields: Dictionary(fields) { _, last in last },
                body: Data(answer.body.readableBytesView))
        } catch {
            throw .unavailable(FarewellError("device.offline", .tryAgain, "The server did not answer."))
        }
    }
}

@Suite("A device and a server in one process")
struct DeviceErasureTests {
    /// A device on which a user with two notes at the server has signed up.
    private func signedIn(
        _ mount: ErasureMount, _ use: (FarewellDevice, FarewellProvider, ErasureMount.Person) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("device-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/pictures", withIntermediateDirectories: true)
        let provider = FarewellProvider(
            try #require(URL(string: "http://in.process")), transport: MountedTransport(mount: mount))
        let device = try FarewellDevice(
            provider, in: StateFolder(folder + "/state"),
            participants: [
                FolderParticipant("pictures", at: folder + "/pictures"), DataExportFolder(folder + "/exports"),
            ])
        await device.launch()
        let person = try await mount.person()
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(email: person.email, password: Token(ErasureMount.password))
        }
        try await use(device, provider, person)
    }

    private func notes(_ mount: ErasureMount, _ person: ErasureMount.Person) async throws -> Int64? {
        try await mount.database.withConnection {
            try await $0.run("SELECT count(*) FROM notes WHERE user_id = $1", .text(person.id)).rows[0][0].integer
        }
    }

    @Test("CF-1 in one process a user signs in, renews, deletes, receives the progress, and is refused from then on")
    func deletion() async throws {
        try await ErasureMount.with { mount in
            try await signedIn(mount) { device, provider, person in
                let neighbour = try await mount.person()
                let before = try await device.session
                let renewed = try await device.perform { session in
                    guard session.accessToken != before.accessToken else {
                        throw ProviderFailure.unauthorised(FarewellError("test.401", .yoursToFix, "401"))
                    }
                    return session
                }
                #expect(renewed.refreshToken != before.refreshToken)
                let told = Guarded<[String]>([])
                let result = try await device.deleteAccount { progress in told.withLock { $0.append(progress.state) } }
                #expect(result.isDone && result.device.isClean && told.withLock { $0.last } == "done", "\(result)")
                #expect(try await notes(mount, person) == 0)
                #expect(try await notes(mount, neighbour) == 2)
                #expect(try await mount.isAccepted(neighbour.token))
                let refused = await #expect(throws: FarewellError.self) {
                    try await device.signIn { () async throws(ProviderFailure) in
                        try await provider.signIn(email: person.email, password: Token(ErasureMount.password))
                    }
                }
                #expect(refused?.code == "server.invalid_credentials")
            }
        }
    }

    @Test("AD-6 CF-2 after a too old sign-in the client requests a new one before any change, and then the deletion continues")
    func stale() async throws {
        try await ErasureMount.with { mount in
            try await signedIn(mount) { device, provider, person in
                mount.ahead.withLock { $0 = 600 }
                let error = await #expect(throws: FarewellError.self) { try await device.deleteAccount() }
                #expect(error?.code == "device.recent-sign-in-needed")
                #expect(try await notes(mount, person) == 2)
                #expect(await device.standing.session != nil)
                mount.ahead.withLock { $0 = 0 }
                try await device.reauthenticate { () async throws(ProviderFailure) in
                    try await provider.signIn(email: person.email, password: Token(ErasureMount.password))
                }
                #expect(try await device.deleteAccount().isDone)
                #expect(try await notes(mount, person) == 0)
            }
        }
    }

    @Test("EX-3 a device with an old sign-in downloads the export of another session after a proof")
    func exportOfAnotherSession() async throws {
        try await ErasureMount.with(isWorking: .off, exports: ExportRules()) { mount in
            try await signedIn(mount) { device, _, person in
                let asked = try await mount.ask(.post, "/v1/exports", token: person.token)
                #expect(asked.status == 202, "\(asked)")
                var state: String?
                repeat {
                    state = try await mount.ask(.get, "/v1/exports", token: person.token).json["state"] as? String
                } while state == "waiting" || state == "running"
                #expect(state == "ready")
                mount.ahead.withLock { $0 = 600 }
                let stale = await #expect(throws: FarewellError.self) { try await device.resumeExport() }
                #expect(stale?.code == "device.recent-sign-in-needed" && device.exportedData == nil)
                let proof = try await device.confirmExport(.password(Token(ErasureMount.password)))
                let archive = try await device.resumeExport(proof: proof)
                #expect(try Data(contentsOf: archive).starts(with: Data("PK".utf8)))
            }
        }
    }

    @Test("EX-1 EX-3 a device exports after a proof, has one export at a time, and learns each refusal by its code")
    func export() async throws {
        try await ErasureMount.with(isWorking: .off, exports: ExportRules(), exportsPerDay: 1) { mount in
            try await signedIn(mount) { device, _, _ in
                mount.ahead.withLock { $0 = 600 }
                let stale = await #expect(throws: FarewellError.self) { try await device.exportData() }
                #expect(stale?.code == "device.recent-sign-in-needed" && device.exportedData == nil)
                let wrong = await #expect(throws: FarewellError.self) {
                    try await device.confirmExport(.password(Token("not the password")))
                }
                #expect(wrong?.code.rawValue.hasPrefix("server.") == true)
                let proof = try await device.confirmExport(.password(Token(ErasureMount.password)))
                let told = Guarded<[DataExport]>([])
                let archive = try await device.exportData(proof: proof) { now in told.withLock { $0.append(now) } }
                let bytes = try Data(contentsOf: archive)
                let last = try #require(told.withLock { $0.last })
                #expect(bytes.starts(with: Data("PK".utf8)) && last.received == bytes.count && last.archiveBytes == bytes.count)
                #expect(last.fraction == 1 && device.exportedData == archive && archive.lastPathComponent == "export.zip")
                let gone = await #expect(throws: FarewellError.self) { try await device.resumeExport() }
                #expect(gone?.code == FarewellError.exportGone.code, "the server's copy goes once the archive is here")
                let limited = await #expect(throws: FarewellError.self) { try await device.exportData() }
                #expect(limited?.code == FarewellError.exportLimit.code && limited?.family == .tryAgain)
                #expect(device.exportedData == archive, "a refused request removes no archive")
                try await device.removeExportedData()
                #expect(device.exportedData == nil)
            }
        }
        var rules = ExportRules()
        rules.bytes = 1_500
        try await ErasureMount.with(isWorking: .off, exports: rules) { mount in
            try await signedIn(mount) { device, _, _ in
                let large = await #expect(throws: FarewellError.self) { try await device.exportData() }
                #expect(large?.code == FarewellError.exportTooLarge.code && device.exportedData == nil)
            }
        }
        try await ErasureMount.with(isWorking: .off) { mount in
            try await signedIn(mount) { device, _, _ in
                let off = await #expect(throws: FarewellError.self) { try await device.exportData() }
                #expect(off?.code == FarewellError.exportsOff.code)
            }
        }
    }

    @Test("a deletion with a grace period is reported as such, and the device does not wait for its last day")
    func grace() async throws {
        try await ErasureMount.with(ServiceRules(graceDays: 7, secondLook: 0, concurrency: 1, poll: 1)) { mount in
            try await signedIn(mount) { device, _, person in
                let result = try await device.deleteAccount(timeout: .seconds(3_600))
                #expect(!result.isDone && result.server.state == "grace" && result.server.graceUntil != nil, "\(result)")
                #expect(result.device.isClean)
                #expect(try await notes(mount, person) == 2, "until the days are over")
            }
        }
    }
}
