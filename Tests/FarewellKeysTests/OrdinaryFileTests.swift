// SPDX-License-Identifier: Apache-2.0

import Farewell
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

    @Test("every error of the system for a file has a message and a remedy, and a full disk is temporary")
    func failures() {
        for number in Int32(1)...140 {
            let error = FileFailure(number).error("The file cannot be written")
            #expect(error.message.hasPrefix("The file cannot be written: ") && error.remedy?.isEmpty == false, "\(number): \(error)")
        }
        for number in [ENOSPC, EDQUOT] { #expect(FileFailure(number).error("x").family == .tryAgain) }
        for number in [ENOENT, ELOOP, ENOTDIR, EACCES] { #expect(FileFailure(number).error("x").family == .yoursToFix) }
    }
}
