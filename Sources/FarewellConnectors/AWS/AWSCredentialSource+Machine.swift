// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Keys that the place lends in which this runs: a container, a machine.
extension AWSCredentialSource {
    // MARK: A container

    /// The address of a container's credentials: ECS states a path, EKS and others an address.
    ///
    /// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
    func containerAddress() throws -> (address: SystemAddress, path: String)? {
        if let path = world.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            return (SystemAddress(unprotected: "169.254.170.2"), path)
        }
        guard let full = world.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") else { return nil }
        // The addresses of the two agents; every other must be protected, or this machine itself.
        for host in ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"] where full.hasBytePrefix("http://\(host)/") {
            return (SystemAddress(unprotected: host), full.droppingBytes("http://\(host)".utf8.count))
        }
        let address = try SystemAddress.met(full, system: system)
        return (address, address.base)
    }

    func ofContainer(_ place: (address: SystemAddress, path: String)) async throws -> AWSCredentials {
        var call = SystemCall("GET", place.address, "/", permission: "the container's role")
        call.writtenPath = place.path
        let file = world.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").flatMap(world.read)
        let token =
            file.map { String(decoding: $0, as: UTF8.self) } ?? world.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN")
        if let token { call.headers.append(("Authorization", token.filter { !$0.isNewline })) }
        return try credentials(in: try await ask(call))
    }

    // MARK: A machine

    /// The instance's role, by the second version of its metadata service alone.
    ///
    /// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
    /// If it gave a key before, its silence is a temporary fault.
    func ofMachine() async throws -> AWSCredentials {
        guard world.variable("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else { throw nowhere }
        let (address, base) = try machineAddress()
        let role = base + "/latest/meta-data/iam/security-credentials/"
        do {
            var call = SystemCall(
                "PUT", address, base + "/latest/api/token",
                headers: [("x-aws-ec2-metadata-token-ttl-seconds", "21600")],
                permission: "the machine's role")
            let token = String(decoding: try await ask(call).body, as: UTF8.self)
            call = SystemCall(
                "GET", address, role, headers: [("x-aws-ec2-metadata-token", token)], permission: "the machine's role")
            let name = String(decoding: try await ask(call).body, as: UTF8.self).filter { !$0.isWhitespace }
            guard !name.isEmpty, !name.containsByte(of: "/?#<") else { throw nowhere }
            call.path = role + name
            let keys = try credentials(in: try await ask(call))
            isOnMachine = true
            return keys
        } catch let fault as ConnectorFault where fault.error.code != "connector.credentials" && !isOnMachine {
            // No machine of Amazon's, or one without a role.
            throw nowhere
        }
    }

    /// The metadata service of the environment or the profile, as botocore finds it: an address goes before a mode.
    ///
    /// https://docs.aws.amazon.com/sdkref/latest/guide/feature-imds-credentials.html
    private func machineAddress() throws -> (address: SystemAddress, base: String) {
        let files = AWSSharedFiles(world)
        let profile = files.profile(files.named ?? "default")
        func setting(_ name: String) -> String? { world.variable("AWS_\(name.uppercased())") ?? profile?[name] }
        if let text = setting("ec2_metadata_service_endpoint") {
            let (address, path) = try SystemAddress.ofTokens(text, system: system)
            return (address, path.hasByteSuffix("/") ? String(path.dropLast()) : path)
        }
        let mode = setting("ec2_metadata_service_endpoint_mode")?.lowercased() ?? "ipv4"
        guard ["ipv4", "ipv6"].contains(mode) else {
            throw ConnectorFault.credentials(
                system, needs: "IPv4 or IPv6 as ec2_metadata_service_endpoint_mode")
        }
        return (SystemAddress(unprotected: mode == "ipv6" ? "[fd00:ec2::254]" : "169.254.169.254"), "")
    }

    // MARK: Asking

    func ask(_ call: SystemCall) async throws -> SystemReply {
        try await SystemCaller("\(system) (sign-in)", budget: RateBudget(), world: world).send(call)
    }

    private func credentials(in reply: SystemReply) throws -> AWSCredentials {
        guard let keys = try? StrictJSON.value(reply.body), let id = keys["AccessKeyId"]?.string,
            let secret = keys["SecretAccessKey"]?.string
        else { throw ConnectorFault.garbled(system, "no key") }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: keys["Token"]?.string,
            expires: keys["Expiration"]?.string.flatMap { Self.time($0) } ?? world.now() + 900)
    }
}
