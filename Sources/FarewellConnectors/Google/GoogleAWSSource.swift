// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A workload on AWS: its token is a signed request for its own identity (`GetCallerIdentity`), which Google sends to
/// AWS ("Workload identity federation with AWS",
/// https://cloud.google.com/iam/docs/workload-identity-federation-with-other-clouds).
///
/// As in google-auth, the region and the key come from the environment, and otherwise from the addresses of
/// `credential_source`: no profile is read, and no container's agent.
struct GoogleAWSSource: Sendable {
    /// The type of such a token.
    static let kind = "urn:ietf:params:aws:token-type:aws4_request"
    /// The address of AWS's token service, with `{region}` in it.
    private let verification: String
    private let regionAddress: String?
    private let keyAddress: String?
    /// Where the machine's metadata service opens a session (IMDSv2); without it, the first version is used.
    private let sessionAddress: String?

    /// - Throws: `ConnectorFault.credentials`.
    init(_ source: JSONValue, system: String) throws {
        guard source["environment_id"]?.string == "aws1" else {
            throw ConnectorFault.credentials(system, needs: "environment_id `aws1` for a workload of AWS")
        }
        guard let verification = source["regional_cred_verification_url"]?.string else {
            throw ConnectorFault.credentials(system, needs: "regional_cred_verification_url for a workload of AWS")
        }
        self.verification = verification
        regionAddress = source["region_url"]?.string
        keyAddress = source["url"]?.string
        sessionAddress = source["imdsv2_session_token_url"]?.string
    }

    /// The signed request, as Google's token service takes it.
    ///
    /// The signature includes the audience, so that no other pool accepts the request.
    func token(for audience: String, system: String, world: ConnectorWorld) async throws -> String {
        let machine = Machine(system: system, world: world, sessionAddress: sessionAddress)
        var session: Machine.Session?
        let region = try await region(machine, &session)
        let keys = try await keys(machine, &session)
        let text = verification.replacing("{region}", with: region)
        guard text.hasBytePrefix("https://") else {
            throw ConnectorFault.credentials(system, needs: "regional_cred_verification_url that begins with https")
        }
        let (address, path) = try SystemAddress.ofTokens(text, system: system)
        let parts = path.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1)
            .map { String(decoding: $0, as: UTF8.self) }
        var call = SystemCall(
            "POST", address, "/", query: Self.query(parts.count == 2 ? parts[1] : ""),
            headers: [("x-goog-cloud-target-resource", audience)], permission: Machine.right)
        call.writtenPath = parts.first ?? "/"
        let name = String(decoding: address.host.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        let service = name.hasByteSuffix("-fips") ? String(name.dropLast("-fips".count)) : name
        SignatureV4(region: region, service: service).sign(&call, with: keys, at: world.now())
        let headers = [(name: "host", value: address.host)] + call.headers
        let request = JSONValue.object([
            "url": .string(text), "method": .string(call.method),
            "headers": .array(
                headers.map { .object(["key": .string($0.name), "value": .string($0.value)]) }),
        ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return PercentEncoding.text(String(decoding: try encoder.encode(request), as: UTF8.self))
    }

    private static func query(_ text: String) -> [(name: String, value: String)] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { part in
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }.map { $0.removingPercentEncoding ?? $0 }
            return (pair[0], pair.count == 2 ? pair[1] : "")
        }
    }

    private func region(_ machine: Machine, _ session: inout Machine.Session?) async throws -> String {
        let region: String
        if let named = machine.world.variable("AWS_REGION") ?? machine.world.variable("AWS_DEFAULT_REGION") {
            region = named
        } else {
            guard let regionAddress else {
                throw ConnectorFault.credentials(
                    machine.system, needs: "AWS_REGION, or region_url of credential_source")
            }
            // An availability zone: `us-east-2b`.
            region = String(try await machine.text(at: regionAddress, &session).dropLast())
        }
        guard !region.isEmpty, region.utf8.allSatisfy({ $0.isASCIISmallLetter || $0.isASCIIDigit || $0 == 45 })
        else { throw ConnectorFault.credentials(machine.system, needs: "a region of AWS such as eu-west-1") }
        return region
    }

    private func keys(_ machine: Machine, _ session: inout Machine.Session?) async throws -> AWSCredentials {
        let world = machine.world
        if let id = world.variable("AWS_ACCESS_KEY_ID"), let secret = world.variable("AWS_SECRET_ACCESS_KEY") {
            return AWSCredentials(
                accessKeyID: id, secretAccessKey: secret, sessionToken: world.variable("AWS_SESSION_TOKEN"))
        }
        guard let keyAddress else {
            throw ConnectorFault.credentials(
                machine.system, needs: "a key of AWS in the environment, or url of credential_source")
        }
        let role = try await machine.text(at: keyAddress, &session)
        guard !role.isEmpty, !role.containsByte(of: "/?#< ") else {
            throw ConnectorFault.credentials(machine.system, needs: Machine.right)
        }
        let place = keyAddress.hasByteSuffix("/") ? keyAddress : keyAddress + "/"
        let text = try await machine.text(at: place + role, &session)
        guard let lent = try? StrictJSON.value(Array(text.utf8)), let id = lent["AccessKeyId"]?.string,
            let secret = lent["SecretAccessKey"]?.string
        else {
            throw ConnectorFault.credentials(machine.system, needs: Machine.right)
        }
        return AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: lent["Token"]?.string)
    }

    /// The metadata service of a machine.
    ///
    /// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
    private struct Machine: Sendable {
        typealias Session = String
        static let right = "a role of the AWS machine (url of credential_source)"
        let system: String
        let world: ConnectorWorld
        let sessionAddress: String?

        func text(at place: String, _ session: inout Session?) async throws -> String {
            if session == nil, let sessionAddress {
                session = try await ask(
                    "PUT", sessionAddress, (name: "x-aws-ec2-metadata-token-ttl-seconds", value: "300"))
            }
            return try await ask("GET", place, session.map { (name: "x-aws-ec2-metadata-token", value: $0) })
        }

        private func ask(
            _ method: String, _ place: String, _ header: (name: String, value: String)?
        ) async throws -> String {
            let (address, path) = try SystemAddress.ofTokens(place, system: system)
            var call = SystemCall(
                method, address, "/", headers: header.map { [$0] } ?? [], answers: [400, 401, 403, 404, 405],
                permission: Self.right)
            call.writtenPath = path
            let reply = try await SystemCaller("\(system) (sign-in)", budget: RateBudget(), world: world).send(call)
            guard reply.status == 200 else { throw ConnectorFault.credentials(system, needs: Self.right) }
            return String(decoding: reply.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
