// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("The folder of a user's downloaded data")
struct DataExportFolderTests {
    @Test("EX-3 a launch removes what a killed download left, and keeps a complete archive; an extension removes neither")
    func launch() async throws {
        try await World.with { world in
            let folder = DataExportFolder(world.path + "/exports")
            let part = world.path + "/exports/export.zip.part"
            _ = try await world.signedIn("anna", world.device(participants: [folder]))
            try folder.begin().add(Data("half".utf8))
            var environment = world.time.environment()
            environment.isExtension = true
            let widget = try FarewellDevice(
                world.network, in: world.folder, store: FileTokenStore(in: world.folder), participants: [folder],
                environment: environment)
            await widget.launch()
            #expect(world.isThere(part))
            let app = try world.device(participants: [folder])
            await app.launch()
            #expect(!world.isThere(part) && app.exportedData == nil)

            let writing = try folder.begin()
            try writing.add(Data("whole".utf8))
            _ = try folder.finish(writing)
            let next = try world.device(participants: [folder])
            await next.launch()
            #expect(next.exportedData != nil)
            #expect(try await next.signOut(timeout: .zero).device.isClean && next.exportedData == nil)
        }
    }
}
