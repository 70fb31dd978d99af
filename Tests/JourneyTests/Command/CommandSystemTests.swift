// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FarewellSQL
import Foundation
import InteropProgram
import NIOCore
import NIOHTTP1
import Testing

@Suite("Before the first erasure: reports of doctor and preview about systems")
struct CommandSystemTests {
    @Test("SYS-10 SY-4 doctor names the error of each system, and preview exits 1 and names those at which an erasure would stop")
    func broken() async throws {
        let vendors = try InteropProgram("Interop/fakes/vendors.py")
        let facts = try #require(try JSONSerialization.jsonObject(with: Data(vendors.word.utf8)) as? [String: Any])
        let endpoint = try #require(facts["endpoint"] as? String)
        let key = try #require(facts["key"] as? String)
        let control = try #require(facts["control"] as? String)
        try await CommandPlace.with(.sqlite) { place in
            func systems(bucket: String, key: String) -> String {
                """

                systems:
                  photos:
                    kind: supabase-storage
                    settings: {endpoint: "\(endpoint)/supabase-storage/storage/v1", bucket: \(bucket), prefix: "{person}/"}
                    secrets: {key: {environment: \(key)}}
                  accounts:
                    kind: revenuecat
                    settings: {endpoint: "\(endpoint)/revenuecat", project: proj1}
                    secrets: {key: {environment: RIGHT_KEY}}
                """
            }
            // Both have other users, whose names have the person's form.
            let other = place.person.dropLast() + (place.person.hasSuffix("1") ? "2" : "1")
            func settle(_ system: String) async throws {
                var request = HTTPClientRequest(url: "\(control)/settle/\(system)?person=\(other)")
                request.method = .POST
                _ = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
            }
            try await settle("revenuecat")
            let plan = try String(contentsOf: place.plan, encoding: .utf8)
            let environment = ["RIGHT_KEY": key, "WRONG_KEY": "wrong"]
            for (bucket, name, word) in [("photo", "RIGHT_KEY", "no such bucket"), ("photos", "WRONG_KEY", "credentials")] {
                try (plan + systems(bucket: bucket, key: name)).write(to: place.plan, atomically: true, encoding: .utf8)
                let doctor = try await place.farewell("doctor", "--json", environment: environment)
                #expect(doctor.status == 1, "\(doctor)")
                let text = doctor.output + doctor.errors
                #expect(text.contains("system photos") && text.contains(word) && text.contains("system accounts"), "\(doctor)")
                let preview = try await place.farewell("preview", "--subject", place.person, "--json", environment: environment)
                let unreachable = preview.objects.first?["unreachable"] as? [[String: Any]]
                #expect(preview.status == 1 && unreachable?.compactMap { $0["system"] as? String } == ["photos"], "\(preview)")
                let shown = try await place.farewell("preview", "--subject", place.person, environment: environment)
                #expect(shown.status == 1 && shown.output.contains("An erasure would stop at photos."), "\(shown)")
            }
            try (plan + systems(bucket: "photos", key: "RIGHT_KEY")).write(to: place.plan, atomically: true, encoding: .utf8)
            let doctor = try await place.farewell("doctor", "--json", environment: environment)
            #expect(doctor.output.contains("the bucket photos exists"), "\(doctor)")
            #expect(doctor.output.contains("may list its customers; it may delete customers"), "\(doctor)")
            try await settle("supabase-storage")
            let preview = try await place.farewell("preview", "--subject", place.person, environment: environment)
            #expect(preview.status == 0, "\(preview)")
        }
    }

    @Test("SYS-10 SY-4 check reports settings of systems with which no erasure starts, and needs no secret for it")
    func unusable() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let plan = try String(contentsOf: place.plan, encoding: .utf8)
            func check(_ system: String, _ rest: String...) async throws -> CommandEnd {
                let text = plan + "\nsystems:\n  it: {\(system)}\n"
                try text.write(to: place.plan, atomically: true, encoding: .utf8)
                return try await place.farewell("check", rest.first ?? "--json")
            }
            let key = "secrets: {key: {environment: NO_SUCH_VARIABLE}}"
            for (system, words) in [
                ("kind: s3, settings: {region: eu-west-1, bucket: b, prefix: '{person}'}", ["a slash at its end"]),
                ("kind: stripe, settings: {mode: productive}, \(key)", ["mode that is not one of live, test"]),
                ("kind: supabase-auth, \(key)", ["needs the setting endpoint"]),
                ("kind: cognito, settings: {region: eu-west-1, user_pool: p}", ["unknown setting, user_pool", "pool, rate, region"]),
            ] {
                let end = try await check(system)
                #expect(end.status == 1 && end.output.contains("system.settings"), "\(end)")
                #expect(words.allSatisfy { end.output.contains($0) }, "\(end)")
                let erase = try await place.farewell("erase", "--subject", place.person, "--yes")
                #expect(erase.status == 2, "\(erase)")
            }
            // A program of the app's own may know the kind.
            let own = try await check("kind: newsletter")
            #expect(own.status == 0 && own.output.contains("unknown kind"), "\(own)")
            #expect(try await check("kind: newsletter", "--ci").status == 0)
            let right = try await check("kind: stripe, settings: {mode: live}, \(key)", "--ci")
            #expect(right.status == 0, "\(right)")
        }
    }
}
