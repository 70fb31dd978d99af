// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("A system call that fails on the way to PostgreSQL")
struct CommandSocketTests {
    /// The injected result of one system call of a process.
    struct Fault: Sendable, CustomTestStringConvertible {
        let call: String
        let error: String
        let numbers: [Int]

        var testDescription: String { "\(call) \(error)" }

        init(_ call: String, _ error: String, _ numbers: some Sequence<Int>) {
            self.call = call
            self.error = error
            self.numbers = Array(numbers)
        }
    }

    /// The connection itself stays sound, so that nothing else ends the wait.
    static let faults = [
        Fault("sendto", "ENOBUFS", stride(from: 1, to: 17, by: 2)), Fault("sendto", "EIO", stride(from: 2, to: 14, by: 3)),
        Fault("sendto", "EPERM", [7, 9]), Fault("sendto", "EPIPE", [5, 8]), Fault("sendto", "ECONNRESET", [6, 10]),
        Fault("recvfrom", "EIO", [4, 9, 14]), Fault("recvfrom", "ECONNRESET", [11]), Fault("epoll_ctl", "ENOMEM", [2, 3]),
    ]

    @Test(
        "OPS-07 on any failure of any call, the command ends soon with the cause, and a repeat erases the subject",
        .timeLimit(.minutes(30)), arguments: faults)
    func failing(_ fault: Fault) async throws {
        try await CommandPlace.with(.postgresql, people: 40) { place in
            for number in fault.numbers {
                let person = place.people.subjectKey(at: number)
                let end = try await place.erasing(person, injecting: "\(fault.call):error=\(fault.error):when=\(number)")
                #expect([0, 75].contains(end.status), "\(fault.call) \(number) \(fault.error): \(end)")
                if end.status == 75 { #expect(end.errors.contains("PostgreSQL") && end.errors.contains("→"), "\(end)") }
                if end.status != 0 {
                    _ = try await place.farewell("erase", "--resume", "--take-over")
                    _ = try await place.farewell("erase", "--subject", person, "--yes")
                }
                #expect(try await place.rows().allSatisfy { !$0.contains(person) }, "\(fault.call) \(number)")
            }
        }
    }

    @Test("OPS-07 an interrupted call is repeated, and nothing is lost", arguments: ["sendto", "recvfrom"])
    func interrupted(_ call: String) async throws {
        try await CommandPlace.with(.postgresql, people: 12) { place in
            for number in [3, 8] {
                let person = place.people.subjectKey(at: number)
                let end = try await place.erasing(person, injecting: "\(call):error=EINTR:when=\(number)..\(number + 4)")
                #expect(end.status == 0, "\(end)")
                #expect(try await place.rows().allSatisfy { !$0.contains(person) })
            }
        }
    }
}

extension CommandPlace {
    /// Erases a subject while strace makes some system calls fail. A process that does not end in five minutes is killed: exit status
    /// 137.
    fileprivate func erasing(_ person: String, injecting fault: String) async throws -> CommandEnd {
        var configuration = configuration([])
        configuration.executable = .name("timeout")
        let call = fault.prefix { $0 != ":" }
        let words = ["-s", "KILL", "300", "strace", "-qq", "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(fault)"]
        let erase = [TestBinary.path("farewell"), "erase", "--subject", person, "--yes"]
        configuration.arguments = .init(words + erase)
        return try await end(of: configuration)
    }
}
#endif
