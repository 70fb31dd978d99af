// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Keys in the files of AWS's former tools, which botocore still reads before it asks a container or a machine.
extension AWSCredentialSource {
    /// - Returns: `nil` if there is no such file, or none with a key.
    func formerKeys() throws -> AWSCredentials? {
        if let path = world.variable("AWS_CREDENTIAL_FILE") {
            guard let bytes = world.read(expanded(path)) else {
                throw ConnectorFault.credentials(system, needs: "the file of AWS_CREDENTIAL_FILE")
            }
            let values = AWSSharedFiles.sections(of: "[keys]\n" + String(decoding: bytes, as: UTF8.self)).first?.values
            if let keys = try keys(values, "awsaccesskeyid", "awssecretkey", in: "AWS_CREDENTIAL_FILE") { return keys }
        }
        let named = world.variable("BOTO_CONFIG")
        for path in named.map({ [$0] }) ?? ["/etc/boto.cfg", "~/.boto"] {
            guard let bytes = world.read(expanded(path)) else { continue }
            let values = AWSSharedFiles.sections(of: String(decoding: bytes, as: UTF8.self))
                .first { $0.name.isByteEqual(to: "Credentials") }?.values
            if let keys = try keys(values, "aws_access_key_id", "aws_secret_access_key", in: path) { return keys }
        }
        return nil
    }

    private func keys(
        _ values: AWSSharedFiles.Section?, _ id: String, _ secret: String, in place: String
    ) throws -> AWSCredentials? {
        guard let found = values?[id] else { return nil }
        guard let secret = values?[secret] else {
            throw ConnectorFault.credentials(system, needs: "a secret beside the access key in \(place)")
        }
        return AWSCredentials(accessKeyID: found, secretAccessKey: secret)
    }

    private func expanded(_ path: String) -> String {
        guard path.hasBytePrefix("~/"), let home = world.variable("HOME") else { return path }
        return home + path.droppingBytes(1)
    }
}
