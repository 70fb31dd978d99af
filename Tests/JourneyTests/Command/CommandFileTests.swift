// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import Subprocess
import Testing

@Suite("Files and arguments that a user names by mistake")
struct CommandFileTests {
    @Test("DX-1 --output replaces only an earlier output, and no database, plan or other file")
    func outputs() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let database = String(place.address.dropFirst("sqlite:".count))
            let notes = place.folder.appendingPathComponent("notes.txt")
            try Data("mine\n".utf8).write(to: notes)
            for path in [database, place.plan.path, notes.path] {
                let before = try Data(contentsOf: URL(filePath: path))
                let end = try await place.farewell("plan", "--format", "svg", "--output", path)
                #expect(end.status == 2 && end.errors.contains("no earlier output"), "\(end)")
                #expect(try Data(contentsOf: URL(filePath: path)) == before)
            }
            let picture = place.folder.appendingPathComponent("plan.svg")
            // A new file, an empty one, and an earlier output.
            for isEmpty in [false, true, false] {
                if isEmpty { try Data().write(to: picture) }
                let end = try await place.farewell("plan", "--format", "svg", "--output", "plan.svg")
                #expect(end.status == 0 && end.output == "Wrote plan.svg.\n", "\(end)")
                #expect(try String(contentsOf: picture, encoding: .utf8).hasSuffix("</svg>\n"))
            }
        }
    }

    @Test("PL-8 of commands that answer questions at once, each answer that is reported as saved is in the plan")
    func atOnce() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            let tables = (0..<8).map { "table_\($0)" }
            for table in tables {
                _ = try await place.query("CREATE TABLE \(table) (id integer PRIMARY KEY, owner_id text)")
            }
            _ = try await place.farewell("init", "--subject", "auth_users.id")
            let saved = try await withThrowingTaskGroup(of: String?.self) { group in
                for table in tables {
                    group.addTask {
                        let end = try await place.farewell("decide", "--table", table, "--answer", "owner")
                        let isRefused = end.errors.contains("Another program changed")
                        #expect(isRefused != end.output.contains("Answered 1 question"), "\(end)")
                        return isRefused ? nil : table
                    }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            let answered = try PlanFile.load(path: place.plan.path).questions.filter { $0.answer == .owner }
            #expect(!saved.isEmpty && Set(answered.map(\.table.name)) == Set(saved))
            let files = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
            #expect(files.filter { $0.hasPrefix("farewell.yaml") } == ["farewell.yaml"])
        }
    }

    @Test("DX-3 a plan of a later version, one that is not UTF-8, and one that cannot be read are described as such")
    func plans() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let plan = try String(contentsOf: place.plan, encoding: .utf8)
            try Data(plan.replacing("farewell: 1", with: "farewell: 99").utf8).write(to: place.plan)
            let later = try await place.farewell("check")
            #expect(later.status == 2 && later.errors.contains("Install the Farewell that wrote it"), "\(later)")
            #expect(!later.errors.contains("farewell init"))
            try Data("farewell: 1\n# é caf".utf8 + [0xE9, 0x0A] + Data(plan.utf8)).write(to: place.plan)
            let latin = try await place.farewell("check")
            #expect(latin.status == 2 && latin.errors.contains("farewell.yaml:2:8: The file is not text in UTF-8"), "\(latin)")
            try FileManager.default.removeItem(at: place.plan)
            try FileManager.default.createSymbolicLink(atPath: place.plan.path, withDestinationPath: "farewell.yaml")
            let circle = try await place.farewell("check")
            #expect(circle.status == 2 && circle.errors.contains("cannot be read"), "\(circle)")
        }
    }

    @Test("DX-1 init --force writes through a link to the plan, and a folder in its place is named as one")
    func links() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            let target = place.folder.appendingPathComponent("shared.yaml")
            try Data("old".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(atPath: place.plan.path, withDestinationPath: "shared.yaml")
            let end = try await place.farewell("init", "--subject", "auth_users.id", "--force")
            #expect(end.status == 0, "\(end)")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.plan.path) == "shared.yaml")
            #expect(try PlanFile.load(path: target.path).subject.table.name == "auth_users")
            for force in [[], ["--force"]] {
                let own = try await place.call(["init", "--subject", "auth_users.id", "--plan", "."] + force)
                #expect(own.status == 2 && own.errors.contains("is a folder"), "\(own)")
            }
            for (name, aim) in [("lost.yaml", "nowhere.yaml"), ("circle.yaml", "circle.yaml")] {
                let link = place.folder.appendingPathComponent(name).path
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: aim)
                let lost = try await place.farewell("init", "--subject", "auth_users.id", "--plan", name)
                #expect(lost.status == 2 && lost.errors.contains("is a link to a file that does not exist"), "\(lost)")
            }
        }
    }

    @Test(
        "DX-3 a misspelt option is named whatever else is missing",
        arguments: ["erase", "rehearse", "preview", "verify", "export", "status"])
    func options(_ command: String) async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let end = try await place.farewell(command, "--subjet=5", "--verbose-x")
            #expect(end.status == 2 && end.errors.contains("Unknown option '--subjet'"), "\(end)")
            let known = try await place.farewell(command, "--json", "--subject")
            #expect(known.status == 2 && !known.description.contains("Unknown option"), "\(known)")
        }
    }

    @Test("DX-3 an argument that is not UTF-8 is refused, and a negative key is a key in every command")
    func keys() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            var odd = place.configuration([])
            odd.executable = .name("sh")
            odd.arguments = ["-c", "exec \"$0\" erase --yes --subject \"$(printf 'a\\377')\"", TestBinary.path("farewell")]
            let refused = try await place.end(of: odd)
            #expect(refused.status == 2 && refused.errors.contains("not text in UTF-8"), "\(refused)")
            for words in [["export", "--output", "out"], ["preview"], ["rehearse"], ["erase", "--yes"]] {
                let end = try await place.call(words + ["--subject", "-5"])
                #expect(end.status == 3, "\(words): \(end)")
            }
        }
    }

    @Test("DX-3 a reader that goes away ends no command, and an unknown erasure is not called parked")
    func readers() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            var piped = place.configuration([])
            piped.executable = .name("bash")
            piped.arguments = ["-c", "set -o pipefail; \"$0\" doctor | true", TestBinary.path("farewell")]
            let end = try await place.end(of: piped)
            #expect(end.status == 0 || end.status == 1, "\(end)")
            _ = try await place.eraseOne(place.person)
            let unknown = try await place.farewell("erase", "--release", "00000000-0000-4000-8000-000000000000")
            #expect(unknown.status == 2 && unknown.errors.contains("There is no erasure with this identifier"), "\(unknown)")
        }
    }
}
