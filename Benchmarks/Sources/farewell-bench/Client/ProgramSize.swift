// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The client's share in a release program: two programs that differ only in the client, stripped of their symbols.
enum ProgramSize {
    static var lines: [Report.Line] {
        guard let with = stripped("size-with-client"), let without = stripped("size-without-client") else {
            return [Report.Line(what: "added to a program", ours: "not built; use make bench", baseline: "")]
        }
        return [
            Report.Line(
                what: "added to a program (\(mebibytes(without)) MiB without)",
                ours: "\(mebibytes(with - without)) MiB", baseline: "")
        ]
    }

    private static func mebibytes(_ bytes: Int) -> String { (Double(bytes) / 1_048_576).short }

    /// The size of a program beside this one, without its symbols.
    private static func stripped(_ name: String) -> Int? {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
        let copy = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        let strip = Process()
        strip.executableURL = URL(filePath: "/usr/bin/env")
        strip.arguments = ["strip", "-o", copy.path, program.path]
        guard (try? strip.run()) != nil else { return nil }
        strip.waitUntilExit()
        return try? copy.resourceValues(forKeys: [.fileSizeKey]).fileSize
    }
}
