// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Testing

/// As the run does it: counted, erased and read back.
private func erase(_ names: [String], by bed: any ConnectorBed) async throws -> StepProgress {
    let driver = ConnectorDriver(bed.name, bed.connector, sleep: { _ in }, chance: { 0.5 })
    return try await driver.run(.init(key: "run/step", names: names), from: nil) { _ in }
}

// One after the other with the other tests of the same fake.
extension VendorTests {
    @Suite("Files of Supabase Storage with strange names")
    struct StorageNameTests {
        private func put(_ file: String) async throws {
            _ = try await PeerProcess.vendors.get().control("POST", "/put/supabase-storage", file)
        }

        @Test(
            "SYS-09 SYS-04 SY-2 a neighbour whose name differs by capitals or a wildcard is neither erased nor counted and delays nothing"
        )
        func neighbours() async throws {
            let bed = try VendorBed("supabase-storage")
            let person = try #require(try await bed.settleStrangely())
            let before = try await bed.census()
            let own = bed.entries(of: person, in: before)
            #expect(own.count == 4 && own.count < before.count)
            #expect(try await bed.connector.count(.init(key: "k", names: person)) == own.count)
            let progress = try await erase(person, by: bed)
            #expect(progress.counts["erased"] == own.count)
            #expect(try await bed.census() == before.filter { !own.contains($0.key) })
        }

        @Test("SYS-09 SY-3 the connector sends a path with two consecutive slashes to the place where the service lists it")
        func emptySegment() async throws {
            let bed = try VendorBed("supabase-storage")
            let person = try await bed.settle()
            try await put("\(person[0])//b.jpg")
            try await put("\(person[0])/deep//er/c.jpg")
            _ = try await erase(person, by: bed)
            #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
        }

        @Test(
            "SB-3 SY-1 a bucket that keeps versions of files is neither emptied nor said to be empty, until it keeps none",
            arguments: ["ENABLED", "SUSPENDED"])
        func versions(_ status: String) async throws {
            let bed = try VendorBed("supabase-storage")
            let person = try await bed.settle()
            try await put("^\(status)")
            let before = try await bed.census()
            let request = ConnectorRequest(key: "k", names: person)
            for act in 0...3 {
                let error = await fault {
                    switch act {
                    case 0: _ = try await bed.connector.count(request)
                    case 1: _ = try await bed.connector.erase(request)
                    case 2: _ = try await bed.connector.verify(request)
                    default: _ = try await bed.connector.prove()
                    }
                }
                let isNamed = error?.message.contains("versions") == true && error?.message.contains(status) == true
                #expect(error?.code == "connector.refused" && isNamed, "\(act): \(String(describing: error))")
                #expect(error?.remedy?.contains("bucket without versioning") == true, "\(String(describing: error))")
            }
            #expect(try await bed.census() == before)
            try await put("^DISABLED")
            _ = try await erase(person, by: bed)
            #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
        }

        @Test("SYS-08 SYS-09 SY-3 a file that the service refuses stops no other: the rest is erased, and then it is reported")
        func refused() async throws {
            let bed = try VendorBed("supabase-storage")
            let person = try await bed.settle()
            try await put("!\(person[0])/stays.jpg")
            let error = await fault { _ = try await bed.connector.erase(.init(key: "k", names: person)) }
            #expect(
                error?.code == "connector.refused" && error?.message.contains("refuses 1 file, even") == true,
                "\(String(describing: error))")
            #expect(bed.entries(of: person, in: try await bed.census()) == ["\(person[0])/stays.jpg"])
        }
    }
}
