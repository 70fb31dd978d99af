// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellSQL
import FarewellUI
import Foundation
import TestFixtures
import Testing

@Suite("A device that downloads its user's data from a running server")
@MainActor
struct ClientExportTests {
    /// A device with a folder for exports, on which one of the app's users is signed in.
    private func signedIn(_ name: String, _ email: String, _ place: ErasurePlace, _ server: RunningServer) async throws -> FarewellDevice {
        let provider = FarewellProvider(
            try #require(URL(string: server.url)), transport: LiveHTTPTransport(timeout: 120))
        let folder = place.place.folder.path + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let device = try FarewellDevice(
            provider, in: StateFolder(folder + "/state"), participants: [DataExportFolder(folder + "/exports")])
        await device.launch()
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(email: email, password: Token(SignedIn.password))
        }
        return device
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("EX-1 EX-3 the archive is genuine, for its owner only, and is removed at a sign-out and at a deletion")
    func whole() async throws {
        try await ErasurePlace.with(.sqlite, people: 2) { place in
            try await place.place.serving(place.settings() + "export: {offering: on}\n") { @MainActor server in
                let email = try await place.signIn(0, server).email
                let device = try await signedIn("phone", email, place, server)
                let model = ExportModel(DeviceAccount(device))
                #expect(model.isOffered)
                await model.start()
                let archive = try #require(model.archive, "\(model.state)")
                let folder = place.place.folder
                #expect(try mode(archive.path) == 0o600 && mode(archive.deletingLastPathComponent().path) == 0o700)
                let told = try Program.python(
                    """
                    import sys, zipfile
                    with zipfile.ZipFile(sys.argv[1]) as archive:
                        archive.extractall(sys.argv[2])
                        for name in archive.namelist(): sys.stdout.write(archive.read(name).decode("utf-8", "replace"))
                    """, [archive.path, folder.appendingPathComponent("unpacked").path]
                ).lowercased()
                #expect(told.contains(place.key(0).lowercased()) && !told.contains(place.key(1).lowercased()))
                #expect(!told.contains("encrypted_password\":") && !told.contains("refresh_token_hash\":"))
                let checked = try await place.place.call(["export", "--check", "unpacked/export"])
                #expect(checked.status == 0 && checked.output.contains("Genuine"), "\(checked)")

                try await device.signOut()
                #expect(device.exportedData == nil && !FileManager.default.fileExists(atPath: archive.path))
                let other = try await signedIn("tablet", email, place, server)
                let again = try await other.exportData()
                #expect(try Data(contentsOf: again).count > 1_000)
                #expect(try await other.deleteAccount(timeout: .seconds(120)).device.isClean)
                #expect(!FileManager.default.fileExists(atPath: again.deletingLastPathComponent().path))
            }
        }
    }
}
