// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Testing

// One after the other with the other tests of moto.
extension AWSTests {
    @Test(
        "EX-1 EX-2 the attributes of a Cognito user are read except those that the plan leaves out, and no other user's are",
        arguments: ["cognito", "subject"])
    func attributes(_ kind: String) async throws {
        let person = try await AWSBed(kind).settle()
        for omit in [[], ["email"]] {
            let bed = try AWSBed(kind) { $0.export.omit = omit }
            let read = try await Reading.of(person, by: bed)
            let user = try RawJSON(Array(try read.text("user.json").utf8))
            let attributes = (user["UserAttributes"] ?? user["Attributes"])?.elements ?? []
            let names = attributes.compactMap { $0["Name"]?.string }
            #expect(read.items.count == 1 && user["Username"]?.string != nil && names.contains("sub"))
            #expect(names.contains("email") == omit.isEmpty && read.withheld == omit)
            let known = (attributes.compactMap { $0["Value"]?.string }) + [user["Username"]?.string ?? ""]
            #expect(known.contains(person[0]), "\(known)")
        }
        let unknown = kind == "subject" ? "00000000-0000-4000-8000-000000000000" : person[0] + "unknown"
        #expect(try await Reading.of([unknown], by: try AWSBed(kind)).items.isEmpty)
    }

    @Test(
        "EX-1 an S3 object that an interrupted export has read is not read again, but another version of it is",
        arguments: ["photos", "strange"])
    func continued(_ kind: String) async throws {
        let bed = try AWSBed(kind)
        let person = try await bed.settle()
        func gets() async -> Int { await bed.sending.sent.count { call in call.headers.contains { $0.name == "range" } } }
        await bed.inject(nil, at: 0, lasting: false)
        let first = try await Reading.of(person, by: bed)
        let before = await gets()
        #expect(first.items.count > 1 && first.items.allSatisfy { $0.mark != nil })
        await bed.inject(nil, at: 0, lasting: false)
        let rest = Array(first.items.dropFirst())
        let again = try await Reading.of(person, by: bed, after: rest)
        #expect(again.taken == rest.map(\.name) && again.items.map(\.name) == [first.items[0].name])
        #expect(await gets() == before - rest.count)
        // The same name with other contents has another mark.
        let other = rest.map { item in
            var item = item
            item.mark? += "x"
            return item
        }
        #expect(try await Reading.of(person, by: bed, after: other).taken.isEmpty)
    }

    @Test("EX-1 every request of an export is valid under botocore's service models")
    func readingContract() async throws {
        var requests: [JSONValue] = []
        let kinds = ["cognito": "cognito", "subject": "cognito", "entitlements": "dynamodb", "orders": "dynamodb", "photos": "s3"]
        for (kind, contract) in kinds {
            let bed = try AWSBed(kind)
            requests += try await VendorContract.reading(of: bed, kind: contract) { await bed.sending.sent }
        }
        let operations = try await VendorContract.check(requests)["operations"]
        #expect(operations?["s3"]?.array == ["GetObject", "ListObjectVersions"])
        #expect(operations?["dynamodb"]?.array == ["DescribeTable", "GetItem", "Query"])
        #expect(operations?["cognito"]?.array == ["AdminGetUser", "ListUsers"])
    }
}
