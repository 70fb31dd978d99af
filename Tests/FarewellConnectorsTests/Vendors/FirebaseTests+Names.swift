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

extension FirebaseTests {
    @Test(
        "SYS-13 SY-1 documents found by a reference are erased; a user is removed from an array or a map, and the document stays",
        arguments: [
            ["collection": "posts", "field": "author", "type": "reference", "value": "users/{person}"],
            ["collection": "teams", "field": "list", "type": "array"], ["collection": "teams", "field": "map", "type": "map"],
        ])
    func shared(_ settings: [String: String]) async throws {
        let bed = try FirebaseBed(.field) { $0.settings.merge(settings) { $1 } }
        let person = try await bed.settle()
        let collection = settings["collection"] ?? ""
        let before = try await bed.census()
        #expect(try await bed.connector.count(.init(key: "k", names: person)) == 1)
        let progress = try await erase(person, by: bed)
        #expect(progress.counts["erased"] == 1)
        let after = try await bed.census()
        let own = "\(collection)/of-\(person[0])"
        if settings["type"] == "reference" {
            #expect(after == before.filter { $0.key != own })
        } else {
            #expect(after.filter { $0.key != own } == before.filter { $0.key != own })
            let (text, was) = (after[own] ?? "", before[own] ?? "")
            #expect(text != was && text.contains("common"), "\(text)")
            // Only the one field has changed.
            let other = settings["type"] == "map" ? "list" : "map"
            #expect(text.contains(#""\#(other)""#))
        }
    }

    @Test("SY-1 SYS-13 a user whose value in a map is null is counted, erased and read back like the others")
    func nullInMap() async throws {
        let settings = ["collection": "teams", "field": "map", "type": "map"]
        let bed = try FirebaseBed(.field) { $0.settings.merge(settings) { $1 } }
        let person = try await bed.settle(more: 6)
        #expect(try await bed.connector.count(.init(key: "k", names: person)) == 7)
        #expect(try await erase(person, by: bed).counts["erased"] == 7)
        let left = try await bed.census().filter { entry, _ in entry == "teams/of-\(person[0])" || entry.hasPrefix("teams/more-") }
        let maps = left.values.filter { $0.contains(#""\#(person[0])":"#) }
        #expect(left.count == 7 && maps.isEmpty, "\(maps)")
        #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .gone)
    }

    @Test("SYS-13 SY-1 a type missing in the plan is derived from the stored value, and reported")
    func untyped() async throws {
        for (collection, field, word) in [("posts", "author", "references"), ("teams", "list", "arrays"), ("teams", "map", "maps")] {
            let bed = try FirebaseBed(.field) { $0.settings.merge(["collection": collection, "field": field]) { $1 } }
            let person = try await bed.settle()
            let before = try await bed.census()
            let error = await fault { _ = try await bed.connector.erase(.init(key: "k", names: person)) }
            #expect(error?.code == "connector.refused" && error?.message.contains(word) == true, "\(String(describing: error))")
            #expect(try await bed.census() == before)
        }
    }

    @Test("SYS-11 SY-2 documents more than fifty collections deep, below missing documents, are found and erased")
    func deep() async throws {
        let bed = try FirebaseBed(.document)
        let person = try await bed.settle().map { "\($0)deep" }
        _ = try await bed.peer.control("POST", "/deepen/firestore")
        let own = bed.entries(of: person, in: try await bed.census())
        #expect(own.count == 1 && own.contains { $0.split(separator: "/").count > 100 })
        #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .left(1))
        _ = try await erase(person, by: bed)
        #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
    }

    @Test("SYS-05 SY-2 a slash counts as a slash, and a dot as a dot, whatever follows it")
    func slashes() async throws {
        for place in [FirebaseBed.Place.document, .collection, .objects, .tree] {
            for name in ["u10/\u{301}x", "\u{301}/x"] {
                let bed = try FirebaseBed(place)
                let error = await fault { _ = try await bed.connector.erase(.init(key: "k", names: [name])) }
                #expect(error?.code == "connector.refused", "\(place) \(name)")
                #expect(await bed.calls == 0)
            }
        }
    }
}
