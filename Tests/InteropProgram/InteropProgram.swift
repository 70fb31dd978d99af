// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A program of `Interop` that runs beside the tests. It ends with its standard input: when it is stopped, or at the
/// latest with this process.
package struct InteropProgram: Sendable {
    /// The line that it says when it is ready: an address, or facts as JSON.
    package let word: String
    /// The folder of this package.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private let process: Process
    private let input: Pipe

    /// It did not start.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Starts it and waits for its word.
    ///
    /// - Parameter script: Such as `Interop/device_server.py`, and its arguments.
    package init(_ script: String) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let words = script.split(separator: " ").map(String.init)
        process.arguments = ["python3", Self.root.appending(path: words[0]).path] + words.dropFirst()
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var said = Data()
        while !said.contains(0x0a) {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Missing(description: "\(script) did not start; use `make test`") }
            said += data
        }
        word = String(decoding: said.prefix { $0 != 0x0a }, as: UTF8.self)
    }

    package func stop() {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }
}
