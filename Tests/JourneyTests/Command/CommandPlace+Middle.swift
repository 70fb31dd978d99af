// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import Testing

extension CommandPlace {
    typealias Running = Execution<NoInput, FileDescriptorOutput, DiscardedOutput>

    /// Calls the command, does `act` when the first rows of a long step are deleted, and waits for the end. During `act` the command gets
    /// at most two chunks further, because its output is not read.
    func inTheMiddle(of arguments: [String], _ act: (Running) async throws -> Void) async throws -> Int32 {
        var isDone = false
        let status = try await following(arguments) { execution, line in
            guard !isDone, line.contains("\"advanced\"") else { return }
            isDone = true
            try await act(execution)
        }
        #expect(isDone, "there was no middle")
        return status
    }

    /// Calls the command, does `act` while it runs, and returns its status and all its output.
    func ended(
        _ arguments: [String], environment: [String: String] = [:], _ act: (Running) async throws -> Void
    ) async throws -> (status: Int32, words: String) {
        let pipe = try LinePipe()
        var configuration = configuration([], environment)
        configuration.executable = .name("sh")
        configuration.arguments = .init(["-c", "exec \"$0\" \"$@\" 2>&1", TestBinary.path("farewell")] + arguments)
        var words = ""
        let result = try await Subprocess.run(
            configuration, input: .none,
            output: .fileDescriptor(pipe.writer, closeAfterSpawningProcess: true), error: .discarded
        ) { execution in
            try await act(execution)
            while let line = try await pipe.next() { words += line }
        }
        try pipe.close()
        return (Self.status(result.terminationStatus), words)
    }

    /// Calls the command and does `act` for each line of its output, while the command waits.
    func following(
        _ arguments: [String], _ act: (Running, String) async throws -> Void
    ) async throws -> Int32 {
        let pipe = try LinePipe()
        let result = try await Subprocess.run(
            configuration(arguments), input: .none,
            output: .fileDescriptor(pipe.writer, closeAfterSpawningProcess: true), error: .discarded
        ) { execution in
            while let line = try await pipe.next() { try await act(execution, line) }
        }
        try pipe.close()
        return Self.status(result.terminationStatus)
    }
}
