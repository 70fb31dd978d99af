// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Foundation
import Testing

// One after the other with the other tests of the same services.
extension AWSTests {
    @Suite("The source of an AWS key, and its use")
    struct AWSCredentialTests {
        /// A connector to the photos whose key comes from this environment and these files.
        private func photos(
            _ environment: [String: String], files: [String: String] = [:], now: @escaping @Sendable () -> Double = { 1_800_000_000 },
            _ edit: (inout SystemPlan) -> Void = { _ in }
        ) throws -> (connector: any Connector, sending: FaultySending) {
            let sending = FaultySending()
            var world = ConnectorWorld.hurried(sending, environment: environment)
            world.read = { path in files[path].map { Array($0.utf8) } }
            world.now = now
            let plan = Plan(
                subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [],
                systems: [try AWSBed.system("photos", try PeerProcess.aws.get(), edit)])
            return (try #require(try ConnectorKinds.connectors(of: plan, world: world)["photos"]), sending)
        }

        private func keys(_ sending: FaultySending) async -> Set<String> {
            Set(
                await sending.sent.filter { $0.path.hasPrefix("/photos") }.compactMap { call in
                    let proof = call.headers.first { $0.name == "Authorization" }?.value
                    return proof?.firstMatch(of: #/Credential=([^/]+)//#).map { String($0.1) }
                })
        }

        @Test("a profile in the credentials file is found by its name, without values of another profile")
        func profile() async throws {
            let file = """
                # keys
                [default]
                aws_access_key_id = AKIDEFAULT
                aws_secret_access_key = default-secret

                [farewell]
                aws_access_key_id=AKIFAREWELL
                aws_secret_access_key = farewell-secret
                aws_session_token = lent
                """
            let person = try await AWSBed("photos").settle()
            for (environment, key) in [
                (["HOME": "/people/a"], "AKIDEFAULT"), (["HOME": "/people/a", "AWS_PROFILE": "farewell"], "AKIFAREWELL"),
                (["AWS_SHARED_CREDENTIALS_FILE": "/keys", "AWS_PROFILE": "farewell"], "AKIFAREWELL"),
            ] {
                let (connector, sending) = try photos(environment, files: ["/people/a/.aws/credentials": file, "/keys": file])
                #expect(try await connector.count(.init(key: "k", names: person)) == 4)
                #expect(await keys(sending) == [key])
                let lent = await sending.sent.contains { $0.headers.contains { $0.name == "x-amz-security-token" } }
                #expect(lent == (key == "AKIFAREWELL"))
            }
            let (nobody, sending) = try photos(["HOME": "/people/a", "AWS_PROFILE": "other"], files: ["/people/a/.aws/credentials": file])
            await #expect(throws: ConnectorFault.self) { try await nobody.count(.init(key: "k", names: person)) }
            #expect(await sending.sent.isEmpty)
        }

        @Test("a workload's token is exchanged for a temporary key, once, and again before that key expires")
        func webIdentity() async throws {
            let endpoint = try PeerProcess.aws.get().text("endpoint")
            let clock = Guarded(Date().timeIntervalSince1970)
            let (connector, sending) = try photos(
                [
                    "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/farewell", "AWS_WEB_IDENTITY_TOKEN_FILE": "/token",
                    "AWS_ENDPOINT_URL_STS": endpoint,
                ], files: ["/token": "header.claims.signature\n"], now: { clock.withLock { $0 } })
            let person = try await AWSBed("photos").settle()
            _ = try await connector.count(.init(key: "k", names: person))
            _ = try await connector.erase(.init(key: "k", names: person))
            func exchanges() async -> [SystemCall] {
                await sending.sent.filter { String(decoding: $0.body, as: UTF8.self).contains("AssumeRoleWithWebIdentity") }
            }
            #expect(await exchanges().count == 1)
            let lent = await keys(sending)
            #expect(lent.count == 1 && lent.first?.hasPrefix("ASIA") == true, "\(lent)")
            #expect(await sending.sent.last?.headers.contains { $0.name == "x-amz-security-token" } == true)
            let asked = await exchanges().first.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
            #expect(asked.contains("WebIdentityToken=header.claims.signature") && !asked.contains("%0A"))
            clock.withLock { $0 += 3_600 }
            _ = try await connector.count(.init(key: "k", names: person))
            #expect(await exchanges().count == 2)
            #expect(await keys(sending).count == 2)
        }

        @Test("Item 44 an exact key erases its object in all versions, and no object whose key only begins with it")
        func exactKeys() async throws {
            let bed = try AWSBed("photos") { system in
                system.settings["prefix"] = nil
                system.settings["keys"] = "exact"
            }
            let person = try await bed.settle()
            let before = try await bed.census()
            let key = "users/\(person[0])"
            let names = ["\(key)/a.jpg", key]
            let own = Set(before.keys.filter { entry in names.contains { entry.hasPrefix("\($0) ") } })
            #expect(own.count == 4, "three versions with a marker, and the object that is named like the folder")
            #expect(try await bed.connector.count(.init(key: "k", names: names)) == 4)
            var erased = 0
            var cursor: String?
            repeat {
                let answer = try await bed.connector.erase(.init(key: "k", names: names, cursor: cursor))
                cursor = nil
                switch answer {
                case .more(let count, let next): (erased, cursor) = (erased + count, next)
                case .erased(let count): erased += count
                default: Issue.record("\(answer)")
                }
            } while cursor != nil
            #expect(erased == 4)
            #expect(try await bed.connector.verify(.init(key: "k", names: names)) == .gone)
            #expect(try await bed.census() == before.filter { !own.contains($0.key) })
        }

        @Test("Item 48 the printed rights are the used rights: a policy for AWS, words for the other systems")
        func leastPrivilege() throws {
            let peer = try PeerProcess.aws.get()
            var stripe = SystemPlan(name: "billing", kind: "stripe")
            stripe.secrets["key"] = .environment("STRIPE_KEY")
            let systems = try ["cognito", "subject", "entitlements", "orders", "photos"].map { kind in
                var system = try AWSBed.system(kind, peer)
                system.name = kind
                return system
            }
            let plan = Plan(
                subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: systems + [stripe])
            let connectors = try ConnectorKinds.connectors(of: plan, world: .hurried(FaultySending()))
            let rights = try LeastPrivilege(of: plan, connectors)
            #expect(
                rights.scopes.map { "\($0.system) \($0.kind) \($0.permissions)" } == [
                    #"billing stripe ["Customers: write", "Subscriptions: write", "Invoices: read"]"#
                ])
            let policy = try StrictJSON.value(Array(try #require(rights.policy).utf8))
            #expect(policy["Version"]?.string == "2012-10-17")
            var granted: [String: Set<String>] = [:]
            for statement in policy["Statement"]?.array ?? [] {
                #expect(
                    statement["Effect"]?.string == "Allow" && statement["Sid"]?.string?.allSatisfy { $0.isLetter || $0.isNumber } == true)
                let resource = try #require(statement["Resource"]?.string)
                #expect(resource.hasPrefix("arn:aws:") && !resource.hasSuffix(":*"), "nothing wider than a thing: \(resource)")
                granted[resource, default: []].formUnion(statement["Action"]?.array?.compactMap(\.string) ?? [])
            }
            #expect(granted["arn:aws:dynamodb:eu-west-1:*:table/orders/index/by_buyer"] == ["dynamodb:Query", "dynamodb:Scan"])
            #expect(granted["arn:aws:s3:::photos"] == ["s3:ListBucketVersions", "s3:ListBucketMultipartUploads"])
            #expect(granted["arn:aws:s3:::photos/users/*"]?.contains("s3:DeleteObjectVersion") == true)
            #expect(granted.values.allSatisfy { $0.allSatisfy { !$0.contains("*") } }, "no right to everything")
        }
    }
}
