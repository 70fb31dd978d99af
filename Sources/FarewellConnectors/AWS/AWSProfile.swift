// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// The profile of the two files that AWS's tools share, `~/.aws/credentials` and `~/.aws/config`.
///
/// https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
struct AWSProfile: Sendable {
    /// A key that stands in the file itself.
    let keys: AWSCredentials?
    let session: Session?

    /// A session of single sign-on.
    struct Session: Sendable, Hashable {
        let account: String
        let role: String
        let region: String
        /// Where `aws sso login` keeps its token.
        let cachePath: String
    }

    init(_ world: ConnectorWorld) {
        let environment = world.environment
        let home = environment["HOME"].map { $0 + "/.aws" }
        func text(_ variable: String, _ usual: String) -> String {
            let path = environment[variable] ?? home.map { "\($0)/\(usual)" }
            return path.flatMap(world.read).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        let name = environment["AWS_PROFILE"] ?? "default"
        let config = text("AWS_CONFIG_FILE", "config")
        var values = Self.section(name == "default" ? ["default", "profile default"] : ["profile \(name)"], of: config)
        values.merge(Self.section([name], of: text("AWS_SHARED_CREDENTIALS_FILE", "credentials"))) { $1 }
        if let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] {
            keys = AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
        } else {
            keys = nil
        }
        let shared = values["sso_session"].map { Self.section(["sso-session \($0)"], of: config) } ?? values
        let label = values["sso_session"] ?? shared["sso_start_url"]
        if let account = values["sso_account_id"], let role = values["sso_role_name"],
            let region = shared["sso_region"],
            let label, let home
        {
            let digest = Insecure.SHA1.hash(data: Data(label.utf8)).map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }
            session = Session(
                account: account, role: role, region: region, cachePath: "\(home)/sso/cache/\(digest.joined()).json")
        } else {
            session = nil
        }
    }

    private static func section(_ names: [String], of text: String) -> [String: String] {
        var values: [String: String] = [:]
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("[") {
                let head = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
                isInside = names.contains(head.joined(separator: " "))
            } else if isInside, let sign = line.firstIndex(of: "="), !line.hasPrefix("#"), !line.hasPrefix(";") {
                let key = line[..<sign].filter { !$0.isWhitespace }
                values[key] = line[line.index(after: sign)...].filter { !$0.isWhitespace }
            }
        }
        return values
    }
}
