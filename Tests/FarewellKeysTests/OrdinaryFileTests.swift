// SPDX-License-Identifier: Apache-2.0

import FarewellKeys
import Foundation
import Testing

@Suite("Files that a user names")
struct OrdinaryFileTests {
    @Test("DX-1 a pipe without a writer, a device and a folder are refused at once; an ordinary file is read up to the limit")
    func refused() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "farewell_files_\(UInt64.random(in: .min ... .max))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        for path in [folder + "/pipe", "/dev/zero", folder] {
            #expect(throws: OrdinaryFile.Refusal.notOrdinary) { try OrdinaryFile.read(path, limit: 10, allowsOpenPipes: true) }
        }
        #expect(throws: OrdinaryFile.Refusal.missing) { try OrdinaryFile.read(folder + "/none", limit: 10) }
        try Data("farewell".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
        #expect(try OrdinaryFile.read(folder + "/file", limit: 4) == Array("fare".utf8))
    }
}
