// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Testing

@Suite("Receipt files with content other than their erasure's receipt")
struct CommandReceiptContentTests {
    @Test(
        "OP-4 another erasure's receipt, or a broken one, is not shown under an identifier, and is restored and reported",
        arguments: SQLDialect.allCases)
    func replaced(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let (first, second) = (try await place.eraseOne(place.person), try await place.eraseOne(place.neighbour))
            let file = place.receipts.appendingPathComponent(second + ".jws")
            let genuine = try Data(contentsOf: file)
            let foreign = try Data(contentsOf: place.receipts.appendingPathComponent(first + ".jws"))
            for wrong in [foreign, Data("garbage".utf8)] {
                for command in ["show", "verify", "page"] {
                    // In place, so that the folder itself stays as it is.
                    try place.overwrite(file, with: wrong)
                    let alone = try await place.farewell("receipt", command, second, environment: ["FAREWELL_DATABASE_URL": ""])
                    #expect(alone.status == 1 && !alone.output.contains(first), "\(alone)")
                    let shown = try await place.farewell("receipt", command, second)
                    #expect(shown.status == 0 && shown.output.contains(second), "\(shown)")
                    #expect(shown.errors.contains("database's copy is used"), "\(shown)")
                    #expect(try Data(contentsOf: file) == genuine, "the command restored it")
                }
                try place.overwrite(file, with: wrong)
                let told = try await place.farewell("status")
                #expect(told.status == 0 && told.errors.contains(second), "\(told)")
                #expect(try Data(contentsOf: file) == genuine)
                #expect(try await place.farewell("status").errors.isEmpty, "it says so once")
                try place.overwrite(file, with: wrong)
                let doctor = try await place.farewell("doctor")
                #expect(doctor.output.contains("1 file restored") && doctor.output.contains(second), "\(doctor)")
                #expect(try Data(contentsOf: file) == genuine)
            }
            #expect(try await place.farewell("doctor").output.contains("2 receipts compared with the database"))
        }
    }

    @Test("OP-4 a genuine file that contradicts the database stays, and doctor and then every command with the database report it")
    func conflict() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let (first, second) = (try await place.eraseOne(place.person), try await place.eraseOne(place.neighbour))
            let file = place.receipts.appendingPathComponent(second + ".jws")
            let genuine = try Data(contentsOf: file)
            _ = try await place.query(
                "UPDATE farewell_erasures SET receipt = (SELECT receipt FROM farewell_erasures WHERE id = '\(first)') "
                    + "WHERE id = '\(second)'")
            let doctor = try await place.farewell("doctor")
            #expect(doctor.status == 1 && doctor.output.contains("contradict the database"), "\(doctor)")
            #expect(try Data(contentsOf: file) == genuine)
            let third = place.people.subjectKey(at: place.people.exampleIndex + 2)
            let commands = [
                ["status"], ["check"], ["plan"], ["audit", "export"], ["audit", "head"], ["preview", "--subject", third],
                ["export", "--subject", third, "--output", "out"], ["rehearse", "--subject", third],
                ["erase", "--subject", third, "--yes"],
            ]
            for words in [["show"], ["verify"], ["page"]] {
                let end = try await place.call(["receipt"] + words + [second])
                #expect(end.status == 0 && end.output.contains(second), "\(end)")
            }
            for command in commands {
                let end = try await place.call(command)
                #expect(end.errors.contains("contradict the database: \(second)"), "\(command): \(end)")
                #expect(try Data(contentsOf: file) == genuine, "\(command)")
            }
            try FileManager.default.removeItem(at: file)
            let refused = try await place.farewell("receipt", "show", second)
            #expect(refused.status == 1 && !refused.output.contains(first), "\(refused)")
        }
    }

    @Test(
        "SY-4 where a subject's erasure is unfinished and no rows are left, the command names it and its next step",
        arguments: SQLDialect.allCases)
    func unfinished(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let erasure = try await place.eraseOne(place.person)
            let table = dialect == .postgresql ? "farewell.erasures" : "farewell_erasures"
            _ = try await place.query("UPDATE \(table) SET state = 'verifying', finished_at = NULL WHERE id = '\(erasure)'")
            for command in [["preview"], ["export", "--output", "out"]] {
                let end = try await place.call(command + ["--subject", place.person])
                #expect(end.status == 75 && end.errors.contains(erasure) && end.errors.contains("--resume"), "\(end)")
            }
            _ = try await place.query(
                "UPDATE \(table) SET state = 'needs attention', cause = 'Ask Ann.' WHERE id = '\(erasure)'")
            try Data("\(place.person)\n".utf8).write(to: place.folder.appendingPathComponent("one.txt"))
            let commands = [
                ["preview", "--subject", place.person], ["erase", "--subject", place.person, "--yes"],
                ["export", "--subject", place.person, "--output", "out"],
            ]
            for command in commands {
                let end = try await place.call(command)
                let told = end.output + end.errors
                #expect(end.status == 1 && told.contains("--release \(erasure)") && told.contains("Ask Ann."), "\(end)")
            }
            let listed = try await place.farewell("erase", "--subjects-file", "one.txt", "--yes")
            #expect(listed.status == 1 && listed.output.contains("arked"), "\(listed)")
        }
    }
}

extension CommandPlace {
    fileprivate func overwrite(_ file: URL, with data: Data) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
        try handle.close()
    }
}
