// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Another implementation, run as a program of its own.
package enum Program {
    package struct Failed: Error, CustomStringConvertible { package let description: String }

    /// The output of a Python script. It finds PyJWT and cryptography in the environment that `make test` prepares.
    package static func python(_ script: String, _ arguments: [String] = [], input: Data = Data()) throws -> String {
        let (status, output, errors) = try run("python3", ["-c", script] + arguments, input: input)
        guard status == 0 else {
            let hint = errors.contains("ModuleNotFoundError") ? " Use `make test`, which installs it." : ""
            throw Failed(description: "python3: \(errors)\(hint)")
        }
        return output
    }

    /// Runs a program to completion; input and output are small.
    package static func run(
        _ name: String, _ arguments: [String], input: Data = Data()
    ) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let (given, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try given.fileHandleForWriting.write(contentsOf: input)
        try given.fileHandleForWriting.close()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complained = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: said, as: UTF8.self),
            String(decoding: complained, as: UTF8.self)
        )
    }
}
