// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import Testing

#if os(Linux)
@Suite("The end of the command's process")
struct CommandEndTests {
    @Test(
        "OPS-09 when the command ends, no exit handler of a library runs beside a thread that opens a connection",
        arguments: [
            (["--version"], "sqlite:none", 0), (["status"], "postgresql://nobody@127.0.0.1:1/none", 75),
            (["erase", "--nothing"], "sqlite:none", 2),
        ] as [([String], String, Int32)])
    func handlers(_ arguments: [String], _ address: String, _ status: Int32) async throws {
        try await CommandPlace.with(.sqlite, isPlanned: false) { place in
            // The loader writes what it does into a file of its own: `calling init: …`, `calling fini: …`.
            let file = place.folder.appendingPathComponent("loader")
            let environment = ["FAREWELL_DATABASE_URL": address, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": file.path]
            let end = try await place.end(of: place.configuration(arguments, environment))
            #expect(end.status == status, "\(end)")
            let files = try FileManager.default.contentsOfDirectory(at: place.folder, includingPropertiesForKeys: nil)
            let lines = try files.filter { $0.lastPathComponent.hasPrefix("loader.") }.flatMap { file in
                try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            }
            func calls(_ act: String) -> [Substring] {
                lines.filter { $0.contains("calling \(act): ") && $0.contains("libkrb5.") }
            }
            #expect(!calls("init").isEmpty, "the loader writes nothing")
            #expect(calls("fini").isEmpty, "\(calls("fini"))")
        }
    }
}
#endif
