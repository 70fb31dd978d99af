// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import Foundation
import Subprocess
import SystemPackage
import Testing

/// Devices for journeys, in this process and in processes of their own.
enum ClientPlace {
    struct Odd: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    static func provider(_ server: RunningServer) throws -> FarewellProvider {
        FarewellProvider(
            try #require(URL(string: server.url)), device: SessionDevice(name: "Journey", platform: "Test", appVersion: "1"),
            transport: LiveHTTPTransport(timeout: 60))
    }

    static func device(_ provider: FarewellProvider, _ place: URL, _ name: String) throws -> FarewellDevice {
        let folder = place.path + "/" + name
        try FileManager.default.createDirectory(atPath: folder + "/pictures", withIntermediateDirectories: true)
        return try FarewellDevice(
            provider, in: StateFolder(folder + "/state"),
            participants: [FolderParticipant("pictures", at: folder + "/pictures")])
    }

    /// The session after a call that was refused.
    static func renewed(_ device: FarewellDevice) async throws -> DeviceSession {
        let first = try await device.session
        return try await device.perform { session in
            if session.accessToken == first.accessToken {
                throw ProviderFailure.unauthorised(FarewellError("test.401", .yoursToFix, "401"))
            }
            return session
        }
    }

    struct End: Sendable {
        let isKilled: Bool
        let output: String
    }

    /// Runs the example app.
    static func app(_ server: RunningServer, _ folder: String, _ verb: String..., dieAfter: Int = 0) async throws -> End {
        let result = try await Subprocess.run(
            .path(FilePath(TestBinary.path("sessions-example"))), arguments: .init([server.url, folder] + verb),
            environment: .inherit.updating(["FAREWELL_PASSWORD": SignedIn.password, "FAREWELL_DIE_AFTER": "\(dieAfter)"]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        var isKilled = false
        if case .signaled = result.terminationStatus { isKilled = true }
        return End(isKilled: isKilled, output: result.standardOutput + result.standardError)
    }
}
